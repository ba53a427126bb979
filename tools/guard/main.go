// Guard is a reverse proxy that demands a user and a password, for a registry that has none.
//
//	guard -listen 198.18.0.1:0 -to http://198.18.0.1:5000 -user ada -password sesame
//
// It says on which port it listens, and writes a line for each request that it refuses or passes on.
package main

import (
	"crypto/subtle"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// headerTimeout limits how long a request may take to say what it wants.
const headerTimeout = 10 * time.Second

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "`address` to listen on")
	to := flag.String("to", "", "`URL` of the registry")
	user := flag.String("user", "", "`name` that is demanded")
	password := flag.String("password", "", "`password` that is demanded")
	flag.Parse()
	target, err := url.Parse(*to)
	if err != nil || target.Host == "" || *user == "" || *password == "" {
		log.Fatal("guard: -to, -user and -password are required")
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on port", listener.Addr().(*net.TCPAddr).Port)
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := &http.Server{ReadHeaderTimeout: headerTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, given, _ := r.BasicAuth()
		known := name == *user && subtle.ConstantTimeCompare([]byte(given), []byte(*password)) == 1
		fmt.Printf("%t %s %s\n", known, r.Method, r.URL.Path)
		if !known {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			http.Error(w, "a user and a password are required", http.StatusUnauthorized)
			return
		}
		r.Header.Del("Authorization")
		proxy.ServeHTTP(w, r)
	})}
	log.Fatal(server.Serve(listener))
}
