/**
 * The reasons for which an HTTP request to a server of a user can fail, with their texts, in the order of its steps.
 *
 * `server` is the subject of the texts, such as `the receiver`. A text is a clause in words that a user can act on; it
 * never contains an address, a URL or the server's own words.
 */
export const requestFailures = (server: string) => ({
  dns_not_found: "the host name of the URL was not found",
  dns_timeout: "the DNS lookup of the URL's host name timed out",
  address_blocked: "the address of the URL is not public, and the operator has not allowed it",
  connect_refused: `${server} refused the connection`,
  connect_timeout: `${server} did not accept the connection in time`,
  tls_invalid: "no trusted TLS connection could be established",
  connection_reset: `${server} closed the connection before it responded`,
  timeout: `${server} did not respond in time`,
  redirect_rejected: `${server} responded with a redirect, which is not followed`,
  http_status: `${server} did not respond with a 2xx status`,
})
