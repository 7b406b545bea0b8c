//! Flags of the commands that connect to a server. `config` resolves them to a connection.

use clap::Args;
use clap::builder::BoolishValueParser;
use client::config::{AddressOverrides, ConfigLocations, InsecureAuth, Overrides};
use std::path::PathBuf;

/// The server of a command, and how to connect to it. Flag, then environment, then context, then default.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server options")]
pub struct ServerFlags {
    /// Use this context of the config file [default: `currentContext`]
    #[arg(
        short,
        long,
        global = true,
        env = "ARMADACTL_CONTEXT",
        hide_env = true,
        value_name = "NAME"
    )]
    context: Option<String>,
    /// Read this config file [default: ~/.armadactl.yaml]
    #[arg(long, global = true, env = "ARMADACTL_CONFIG", hide_env = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Send requests to the REST API at this address, such as `https://HOST/api`
    #[arg(long, global = true, value_name = "URL")]
    armada_rest_url: Option<String>,
    /// Send requests to this address, which begins with http:// or https://
    ///
    /// Armada's own armadactl has this flag for the address of its gRPC API. Such an address is refused
    /// (exit 2), unless it is the `armadaUrl` of the context, which has an `armadaRestUrl` too.
    #[arg(long = "armadaUrl", global = true, value_name = "URL")]
    armada_url: Option<String>,
    /// End a request after this time, a Go duration [default: 30s]
    ///
    /// For a list of queues, which is sent queue by queue, this is the longest time between two queues.
    /// The whole list may take ten times as long, and another second for each 16 KiB. The events of `watch`
    /// may be silent for ten times as long; then the connection is replaced.
    #[arg(
        long,
        global = true,
        env = "ARMADACTL_REQUEST_TIMEOUT",
        hide_env = true,
        value_name = "DURATION"
    )]
    request_timeout: Option<String>,
    /// Trust also the certificates in this PEM file
    #[arg(long, global = true, env = "ARMADACTL_CA_FILE", hide_env = true, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Send credentials over plain http to other machines
    #[arg(long, global = true, env = "ARMADACTL_ALLOW_INSECURE_AUTH", hide_env = true)]
    #[arg(value_parser = BoolishValueParser::new())]
    allow_insecure_auth: bool,
    /// Print each request and the status of its response
    #[arg(short, long, global = true, env = "ARMADACTL_VERBOSE", hide_env = true)]
    #[arg(value_parser = BoolishValueParser::new())]
    pub verbose: bool,
}

impl ServerFlags {
    /// The settings of these flags and of variables that Armada reads too.
    pub fn overrides(&self) -> Overrides {
        // A value that is not UTF-8 must not count as absent: another server would be used.
        let variable = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
        let insecure = self.allow_insecure_auth;
        Overrides {
            context: self.context.clone(),
            armadas_context: variable("CURRENTCONTEXT"),
            // Not through clap: a variable would then count as much as its flag, and before `--armadaUrl`.
            addresses: AddressOverrides {
                rest_flag: self.armada_rest_url.clone(),
                armada_flag: self.armada_url.clone(),
                rest_variable: variable("ARMADACTL_ARMADA_REST_URL"),
                armada_variable: variable("ARMADACTL_ARMADAURL"),
                armadas_variable: variable("ARMADAURL"),
            },
            request_timeout: self.request_timeout.clone(),
            ca_file: self.ca_file.clone(),
            insecure_auth: if insecure { InsecureAuth::Allowed } else { InsecureAuth::Refused },
            cache_directory: dirs::cache_dir().map(|directory| directory.join("armadactl")),
        }
    }

    /// The places of the config file.
    pub fn places(&self) -> ConfigLocations {
        let binary = std::env::current_exe().ok();
        ConfigLocations {
            explicit: self.config.clone().filter(|path| !path.as_os_str().is_empty()),
            home: dirs::home_dir(),
            next_to_binary: binary.and_then(|path| path.parent().map(ToOwned::to_owned)),
        }
    }
}
