package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	keysPath     = "/api/notifications/v1/webhook-http-signature/public-keys"
	bodyMaxBytes = 256 * 1024
	maxAge       = 300 * time.Second
	maxAhead     = 60 * time.Second
)

// errKeysUnavailable means that Tocsin should send the notification again later.
var errKeysUnavailable = errors.New("the public keys cannot be fetched")

// PublicKeys are the listed public keys of the server: kept for 300 s, fetched for an unknown ID at most every 30 s.
type PublicKeys struct {
	url       string
	mutex     sync.Mutex
	keys      map[string]ed25519.PublicKey
	fetchedAt time.Time
}

var client = http.Client{
	Timeout:       5 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Get returns the key with an ID, or nil if it is not listed.
func (k *PublicKeys) Get(id string) (ed25519.PublicKey, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	age := time.Since(k.fetchedAt)
	if age > 300*time.Second || (k.keys[id] == nil && age > 30*time.Second) {
		keys, err := fetchKeys(k.url)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errKeysUnavailable, err)
		}
		k.keys, k.fetchedAt = keys, time.Now()
	}
	return k.keys[id], nil
}

func fetchKeys(url string) (map[string]ed25519.PublicKey, error) {
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	var listed struct {
		Keys []struct{ KeyId, PublicKeyPem string }
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 64*1024)).Decode(&listed); err != nil {
		return nil, err
	}
	keys := map[string]ed25519.PublicKey{}
	for _, each := range listed.Keys {
		block, _ := pem.Decode([]byte(each.PublicKeyPem))
		if block == nil {
			return nil, errors.New("a key is not PEM")
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, err
		}
		key, isEd25519 := parsed.(ed25519.PublicKey)
		if !isEd25519 {
			return nil, errors.New("a key is not an Ed25519 key")
		}
		keys[each.KeyId] = key
	}
	return keys, nil
}

// The parameters of Tocsin's signature. Their text is also the last line of the signature base.
var parameters = regexp.MustCompile(
	`^\("@method" "@authority" "@path" "content-digest" "content-type"\)` +
		`;created=(\d{1,15});keyid="([A-Za-z0-9_-]{43})";alg="ed25519"$`)

// member returns the value of one key of a structured dictionary (RFC 8941, section 3.2). The field may have several
// lines and other keys, such as the signature of a proxy.
func member(header http.Header, name, key string) (string, error) {
	field := strings.Join(header.Values(name), ", ")
	found, start, quoted := []string{}, 0, false
	for i := 0; i <= len(field); i++ {
		switch {
		case i < len(field) && quoted && field[i] == '\\':
			i++
		case i < len(field) && field[i] == '"':
			quoted = !quoted
		case i >= len(field) || (field[i] == ',' && !quoted):
			if value, isKey := strings.CutPrefix(strings.Trim(field[start:min(i, len(field))], " \t"), key+"="); isKey {
				found = append(found, value)
			}
			start = i + 1
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s has %d members %s instead of one", name, len(found), key)
	}
	return found[0], nil
}

// byteSequence decodes `:…:` (RFC 8941, section 3.3.5).
func byteSequence(value string) ([]byte, error) {
	if len(value) < 2 || value[0] != ':' || value[len(value)-1] != ':' {
		return nil, errors.New("not a byte sequence")
	}
	return base64.StdEncoding.Strict().DecodeString(value[1 : len(value)-1])
}

// verify returns an error unless Tocsin signed this request, with this body, for this authority.
func verify(request *http.Request, body []byte, authority string, keys *PublicKeys) error {
	// The body has the digest that the header announces.
	announced, err := member(request.Header, "Content-Digest", "sha-256")
	if err != nil {
		return err
	}
	digest := sha256.Sum256(body)
	if expected, err := byteSequence(announced); err != nil || !bytes.Equal(expected, digest[:]) {
		return errors.New("the body does not match Content-Digest")
	}

	// The signature covers what it must, and is neither too old nor from the future.
	input, err := member(request.Header, "Signature-Input", "sig1")
	if err != nil {
		return err
	}
	values := parameters.FindStringSubmatch(input)
	if values == nil {
		return errors.New("the signature has other parameters than Tocsin's")
	}
	created, err := strconv.ParseInt(values[1], 10, 64)
	if err != nil {
		return err
	}
	if age := time.Since(time.Unix(created, 0)); age > maxAge || age < -maxAhead {
		return fmt.Errorf("the signature was created %s ago", age)
	}
	value, err := member(request.Header, "Signature", "sig1")
	if err != nil {
		return err
	}
	signature, err := byteSequence(value)
	if err != nil {
		return err
	}

	// The key is one that the server lists.
	key, err := keys.Get(values[2])
	if err != nil {
		return err
	}
	if key == nil {
		return errors.New("the key is not listed")
	}

	// The host is our own, whatever `Host` says. The path is as received, still percent-encoded, without the query.
	path, _, _ := strings.Cut(request.RequestURI, "?")
	base := strings.Join([]string{
		`"@method": ` + request.Method,
		`"@authority": ` + authority,
		`"@path": ` + path,
		`"content-digest": ` + strings.Join(request.Header.Values("Content-Digest"), ", "),
		`"content-type": ` + strings.Join(request.Header.Values("Content-Type"), ", "),
		`"@signature-params": ` + input,
	}, "\n")
	if !ed25519.Verify(key, []byte(base), signature) {
		return errors.New("the signature is not valid")
	}
	return nil
}

// process prints the notification. Replace this: store the notification, unless it is already stored.
func process(id string, body []byte) error {
	_, err := fmt.Printf("%s %s\n", id, body)
	return err
}

func main() {
	baseURL := envOr("TOCSIN_BASE_URL", "http://127.0.0.1:8080")
	// The host of the webhook URL in lowercase, with its port if it is not 443.
	authority := envOr("AUTHORITY", "hooks.example.com")
	port := envOr("PORT", "3000")
	keys := &PublicKeys{url: baseURL + keysPath}

	handler := func(response http.ResponseWriter, request *http.Request) {
		// The raw body, before anything parses it.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyMaxBytes))
		if err != nil {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		status := http.StatusNoContent
		if err := verify(request, body, authority, keys); errors.Is(err, errKeysUnavailable) {
			log.Print(err)
			status = http.StatusServiceUnavailable
		} else if err != nil {
			log.Print(err)
			status = http.StatusUnauthorized
		} else if err := process(request.Header.Get("Notification-Id"), body); err != nil {
			log.Print(err)
			status = http.StatusInternalServerError
		}
		response.WriteHeader(status)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("receiving on port " + port)
	// Not http.HandleFunc: the default mux redirects paths that it would write differently.
	server := http.Server{Handler: http.HandlerFunc(handler), ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

func envOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
