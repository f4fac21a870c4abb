import { type FailureReason, failureReasonText } from "@tocsin/domain"
import { TransportFailure } from "@tocsin/domain/ports"

/** A failure with the message of its reason by default. */
export const failure = (
  reason: FailureReason,
  detail: string = failureReasonText[reason],
): TransportFailure =>
  new TransportFailure({
    reason,
    detail,
    isReusedSocketReset: false,
    isInfrastructureFault: reason === "sender_unavailable",
  })

/** Why a name has no address. Only missing name servers are the sender's fault. */
export const lookupFailure = (error: unknown): TransportFailure => {
  switch (codeOf(error)) {
    case "ENOTFOUND":
    case "ENODATA":
      return failure("dns_not_found")
    case "ETIMEOUT":
    case "EAI_AGAIN":
      return failure("dns_timeout")
    case "ECONNREFUSED":
    case "ELOADIPHLPAPI":
      return failure(
        "sender_unavailable",
        "the sender could not reach a name server; the attempt does not count",
      )
    default:
      return failure("dns_not_found", "the name servers of the URL's name did not give an address")
  }
}

export const connectFailure = (error: unknown): TransportFailure => {
  const code = codeOf(error)
  if (senderFaults.has(code)) return failure("sender_unavailable")
  if (code === "ECONNREFUSED") return failure("connect_refused")
  if (code === "ETIMEDOUT") return failure("connect_timeout")
  return failure("connect_refused", "no route leads to the receiver")
}

export interface PeerCertificateDates {
  readonly validFrom: Date
  readonly validTo: Date
}

export const tlsFailure = (
  error: unknown,
  dates: PeerCertificateDates | undefined,
  now: Date,
): TransportFailure => {
  const code = codeOf(error)
  if (resets.has(code)) {
    return failure("connection_reset", "the receiver closed the connection during the TLS handshake")
  }
  if (code === "CERT_HAS_EXPIRED" && dates !== undefined && dates.validTo < now) {
    return failure("tls_invalid", `the certificate expired on ${day(dates.validTo)}`)
  }
  if (code === "CERT_NOT_YET_VALID" && dates !== undefined && dates.validFrom > now) {
    return failure("tls_invalid", `the certificate is not valid before ${day(dates.validFrom)}`)
  }
  return failure("tls_invalid", tlsTexts[code] ?? "the TLS handshake failed")
}

/**
 * Why an exchange on an open connection had no response. `undefined`: the client did not send the request, which is a
 * defect.
 */
export const exchangeFailure = (error: unknown): TransportFailure | undefined => {
  const code = codeOf(error)
  if (code === "UND_ERR_INVALID_ARG") return undefined
  if (resets.has(code)) return failure("connection_reset")
  if (code === "ETIMEDOUT") return failure("timeout")
  if (code === "UND_ERR_SOCKET" && !messageOf(error).startsWith("bad ")) return failure("connection_reset")
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return failure("response_invalid", "the head of the response is larger than 16 KiB")
  }
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return tlsFailure(error, undefined, new Date(0))
  return failure("response_invalid")
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "")

const day = (date: Date): string => date.toISOString().slice(0, 10)

const resets = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"])

/** The sender has no descriptors, buffers or ports left. */
const senderFaults = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"])

const untrustedIssuer =
  "the certificate's issuer is not trusted, or the receiver does not send its intermediate certificates"
const tooOld = "the receiver does not offer TLS 1.2 or later"

/** Whatever certificate was sent, the server did not accept it. */
export const clientCertificateText = "the receiver asks for a client certificate, which is not supported"

/** Of the error for a certificate that names its host as the common name at most. */
export const noAltNameCode = "TOCSIN_NO_ALTNAME"

/** Messages for OpenSSL's verification and handshake errors (openssl-verification-options(1); RFC 8446 section 6.2). */
const tlsTexts: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "a certificate of the receiver's chain has expired",
  CERT_NOT_YET_VALID: "a certificate of the receiver's chain is not valid yet",
  CERT_SIGNATURE_FAILURE: untrustedIssuer,
  CERT_REVOKED: "the certificate is revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's issuer is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: untrustedIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedIssuer,
  [noAltNameCode]: "the certificate has no subject alternative name",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name than the URL's",
  ERR_TLS_CERT_ALTNAME_FORMAT: "the certificate is for another name than the URL's",
  HOSTNAME_MISMATCH: "the certificate is for another name than the URL's",
  ERR_SSL_UNSUPPORTED_PROTOCOL: tooOld,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: tooOld,
  ERR_SSL_WRONG_VERSION_NUMBER: "the receiver does not speak TLS on this port",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the receiver does not speak TLS on this port",
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "the receiver does not know the URL's name",
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "the receiver does not speak HTTP/1.1",
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    "the receiver shares no TLS cipher, or asks for a client certificate",
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE":
    "the receiver shares no TLS cipher, or asks for a client certificate",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificateText,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientCertificateText,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: clientCertificateText,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: clientCertificateText,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: clientCertificateText,
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: clientCertificateText,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: clientCertificateText,
}
