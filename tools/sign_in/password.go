package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/oauth2"
	fositestore "github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"
)

// fositeProvider has one public client, `armadactl`, and two users, `peter` and `paul`.
func fositeProvider(issuer string, lifetime time.Duration) http.Handler {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	public := jose.JSONWebKey{Key: &key.PublicKey, KeyID: "key", Algorithm: "RS256", Use: "sig"}
	config := &fosite.Config{
		AccessTokenLifespan: lifetime,
		GlobalSecret:        []byte("a secret of thirty-two characters"[:32]),
		RefreshTokenScopes:  []string{"offline_access"},
		AccessTokenIssuer:   issuer,
	}
	store := fositestore.NewMemoryStore()
	store.Users["peter"] = fositestore.MemoryUserRelation{Username: "peter", Password: "secret-of-peter"}
	store.Users["paul"] = fositestore.MemoryUserRelation{Username: "paul", Password: "secret-of-paul"}
	store.Clients["armadactl"] = &fosite.DefaultClient{
		ID: "armadactl", Public: true, GrantTypes: []string{"password", "refresh_token"},
		Scopes: []string{"offline_access"},
	}
	private := func(context.Context) (any, error) { return key, nil }
	provider := compose.Compose(config, store, compose.CommonStrategy{
		CoreStrategy: compose.NewOAuth2JWTStrategy(private, compose.NewOAuth2HMACStrategy(config), config),
	}, compose.OAuth2ResourceOwnerPasswordCredentialsFactory, compose.OAuth2RefreshTokenGrantFactory, compose.OAuth2TokenRevocationFactory)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]any{
			"issuer": issuer, "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
			"revocation_endpoint": issuer + "/revoke",
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		session := &oauth2.JWTSession{
			JWTClaims: &jwt.JWTClaims{Issuer: issuer, Subject: r.FormValue("username")},
			JWTHeader: &jwt.Headers{Extra: map[string]any{"kid": "key"}},
		}
		request, err := provider.NewAccessRequest(r.Context(), r, session)
		if err != nil {
			provider.WriteAccessError(r.Context(), w, request, err)
			return
		}
		for _, scope := range request.GetRequestedScopes() {
			request.GrantScope(scope)
		}
		response, err := provider.NewAccessResponse(r.Context(), request)
		if err != nil {
			provider.WriteAccessError(r.Context(), w, request, err)
			return
		}
		provider.WriteAccessResponse(r.Context(), w, request, response)
	})
	mux.HandleFunc("POST /revoke", func(w http.ResponseWriter, r *http.Request) {
		provider.WriteRevocationResponse(r.Context(), w, provider.NewRevocationRequest(r.Context(), r))
	})
	return mux
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
