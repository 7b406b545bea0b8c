// A provider of OpenID Connect, one with the password grant, and a gateway that admits their tokens to a server of
// Armada's API: what the tests of signing in need. The provider is Zitadel's example, the other one Ory's fosite.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Tokens of these users may write: the example's first user, its service user, and fosite's user.
var writers = map[string]bool{"id1": true, "sid1": true, "peter": true}

func main() {
	provider := flag.Int("provider", 0, "port of Zitadel's provider")
	password := flag.Int("password", 0, "port of fosite's provider")
	gateway := flag.Int("gateway", 0, "port of the gateway")
	upstream := flag.String("upstream", "", "address of the server behind the gateway")
	lifetime := flag.Duration("lifetime", 20*time.Second, "lifetime of an access token")
	flag.Parse()
	issuers := []string{address(*provider) + "/", address(*password)}
	// The gateway is a process of its own, so that the providers can be away.
	if *upstream != "" {
		serve(*gateway, admit(issuers, *upstream))
	}
	go serve(*provider, zitadel(issuers[0], *lifetime))
	serve(*password, fositeProvider(issuers[1], *lifetime))
}

func address(port int) string { return fmt.Sprintf("http://localhost:%d", port) }

func serve(port int, handler http.Handler) {
	err := http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", port), handler)
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// provider is the example's storage, with clients for each way to sign in and short tokens.
type provider struct {
	*storage.Storage
	users    storage.UserStore
	lifetime time.Duration
}

// client is a client of the example whose tokens are JWTs, as Armada's servers need them.
type client struct {
	op.Client
	isPublic bool
	id       string
}

func (c client) GetID() string { return c.id }

func (c client) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

func (c client) AuthMethod() oidc.AuthMethod {
	if c.isPublic {
		return oidc.AuthMethodNone
	}
	return c.Client.AuthMethod()
}

func (c client) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeCode, oidc.GrantTypeDeviceCode, oidc.GrantTypeRefreshToken, oidc.GrantTypeClientCredentials}
}

func (p provider) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	found, err := p.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{found, true, id}, nil
}

func (p provider) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	// The example has one service user. `sid2` is another, without the right to write.
	found, err := p.Storage.ClientCredentials(ctx, strings.Replace(id, "sid2", "sid1", 1), secret)
	if err != nil {
		return nil, err
	}
	return client{found, false, id}, nil
}

func (p provider) ClientCredentialsTokenRequest(ctx context.Context, id string, scopes []string) (op.TokenRequest, error) {
	return &oidc.JWTTokenRequest{Subject: id, Audience: []string{id}, Scopes: scopes}, nil
}

// CompleteDeviceAuthorization keeps the id of the user. The example keeps the name, for which it then finds no user.
func (p provider) CompleteDeviceAuthorization(ctx context.Context, code, username string) error {
	return p.Storage.CompleteDeviceAuthorization(ctx, code, p.users.GetUserByUsername(username).ID)
}

func (p provider) CreateAccessToken(ctx context.Context, request op.TokenRequest) (string, time.Time, error) {
	id, _, err := p.Storage.CreateAccessToken(ctx, request)
	return id, time.Now().Add(p.lifetime), err
}

func (p provider) CreateAccessAndRefreshTokens(ctx context.Context, request op.TokenRequest, old string) (string, string, time.Time, error) {
	// The example forgets the client of a device, and then refuses to renew its token.
	if device, ok := request.(*op.DeviceAuthorizationState); ok {
		request = &storage.AuthRequest{ApplicationID: device.ClientID, UserID: device.Subject, Scopes: device.Scopes}
	}
	id, refresh, _, err := p.Storage.CreateAccessAndRefreshTokens(ctx, request, old)
	return id, refresh, time.Now().Add(p.lifetime), err
}

func zitadel(issuer string, lifetime time.Duration) http.Handler {
	storage.RegisterClients(storage.NativeClient("armadactl"))
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	users := storage.NewUserStore(issuer)
	store := provider{storage.NewStorage(users), users, lifetime}
	return exampleop.SetupServer(issuer, store, logger, false)
}

// admit passes requests with a token of these issuers on, as Armada's server does: reads need a user, writes a right.
func admit(issuers []string, upstream string) http.Handler {
	target, err := url.Parse(upstream)
	if err != nil {
		panic(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var verifiers []*op.AccessTokenVerifier
	for _, issuer := range issuers {
		keys := rp.NewRemoteKeySet(http.DefaultClient, strings.TrimSuffix(issuer, "/")+"/keys")
		verifiers = append(verifiers, op.NewAccessTokenVerifier(issuer, keys))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		user := ""
		for _, verifier := range verifiers {
			claims, err := op.VerifyAccessToken[*oidc.AccessTokenClaims](r.Context(), token, verifier)
			if err == nil && strings.EqualFold(scheme, "bearer") {
				user = claims.Subject
			}
		}
		if user == "" {
			refuse(w, 401, 16, "Invalid credentials presented")
			return
		}
		if r.Method != http.MethodGet && !writers[user] {
			refuse(w, 403, 7, fmt.Sprintf("%s lacks permission create_retry_policy", user))
			return
		}
		r.Header.Del("Authorization")
		r.Host = target.Host
		proxy.ServeHTTP(w, r)
	})
}

// refuse answers in the form of Armada's gateway.
func refuse(w http.ResponseWriter, status, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q,"code":%d,"message":%q}`, text, code, text)
}
