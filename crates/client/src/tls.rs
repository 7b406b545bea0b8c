//! Certificates that are trusted in addition to the system's.
//!
//! A certificate in the file is trusted in two ways: as an authority that signs others, and as the certificate
//! of the server itself. The second is for servers with the certificate that `openssl req -x509` makes: it is
//! marked as an authority, and such a one is refused as that of a server.

use super::{ClientError, ClientErrorKind};
use crate::config::SmallFile;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use std::path::Path;
use std::sync::Arc;

/// The maximum size of a file of certificates; a system's whole bundle has less than 1 MiB.
const MAX_PEM_BYTES: usize = 8 << 20;

/// The settings of TLS that trust the certificates of this file and those of the system.
pub(super) fn config_with(path: &Path) -> Result<ClientConfig, ClientError> {
    let bad = |why: &str| {
        let message = format!("cannot use the certificates in `{}`: {why}", path.display());
        ClientError::new(ClientErrorKind::Input, message).help("`--ca-file` takes a PEM file")
    };
    let certificates = load(path).map_err(|why| bad(&why))?;
    let provider = Arc::new(ring::default_provider());
    let trust = Trust::new(certificates, &provider).map_err(|error| bad(&error.to_string()))?;
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| bad(&error.to_string()))?;
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(trust));
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// The certificates of a PEM file.
fn load(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let file = SmallFile::read(path, MAX_PEM_BYTES).map_err(|error| error.to_string())?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&file.bytes).collect();
    match found {
        Err(_) => Err("it is not a PEM file".to_owned()),
        Ok(found) if found.is_empty() => Err("it contains no certificates".to_owned()),
        Ok(found) => Ok(found),
    }
}

/// Verifies the certificate of a server.
#[derive(Debug)]
struct Trust {
    /// Chains to an authority of the system or of the file.
    chains: rustls_platform_verifier::Verifier,
    /// The certificates of the file.
    certificates: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Trust {
    fn new(
        certificates: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, Error> {
        let chains = rustls_platform_verifier::Verifier::new_with_extra_roots(
            certificates.iter().cloned(),
            Arc::clone(provider),
        )?;
        Ok(Self { chains, certificates, provider: Arc::clone(provider) })
    }

    /// Verifies a certificate that is in the file itself, byte for byte: its dates and its names.
    fn verify_own(
        &self,
        certificate: &CertificateDer<'_>,
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let mut root = RootCertStore::empty();
        root.add(certificate.clone().into_owned())?;
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::new(root), Arc::clone(&self.provider));
        let verifier = verifier.build().map_err(|error| Error::General(error.to_string()))?;
        match verifier.verify_server_cert(certificate, &[], name, &[], now) {
            // webpki checks the dates before these, and the names after them.
            Err(error) if is_authority(&error) || is_unknown_issuer(&error) => {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            outcome => outcome,
        }
    }
}

/// Whether the authority that signed a certificate is unknown.
fn is_unknown_issuer(error: &Error) -> bool {
    matches!(error, Error::InvalidCertificate(CertificateError::UnknownIssuer))
}

/// Whether a certificate was refused as that of a server since it is marked as an authority.
pub(super) fn is_authority(error: &Error) -> bool {
    let Error::InvalidCertificate(CertificateError::Other(other)) = error else { return false };
    // The type belongs to webpki, which this crate does not depend on.
    other.0.to_string() == "CaUsedAsEndEntity"
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.certificates.contains(certificate) {
            return self.verify_own(certificate, name, now);
        }
        self.chains.verify_server_cert(certificate, intermediates, name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
