import { createHash } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import type { PrometheusServer } from "@tocsin/domain/definitions"
import { reveal } from "@tocsin/domain/ports"
import { failure } from "./NetworkFailure.ts"

/** Most TLS settings of data sources that a process keeps ready. */
const sourceTlsMax = 256

/** TLS settings other than the default ones. */
export interface ConnectionTls {
  /** The same for equal settings; connections are reused for equal settings only. */
  readonly id: string
  readonly secureContext: SecureContext
}

/**
 * Makes the TLS settings of data sources, each once. `undefined`: the default ones. Throws `TransportFailure` if a
 * certificate or key cannot be used.
 */
export const makeSourceTls = (): ((tls: PrometheusServer["tls"]) => ConnectionTls | undefined) => {
  const made = new Map<string, ConnectionTls>()
  return (tls) => {
    if (tls?.ca === undefined && tls?.key === undefined) return undefined
    const { ca, certificate } = tls
    const key = tls.key && reveal(tls.key)
    const id = createHash("sha256")
      .update(JSON.stringify([ca, certificate, key]))
      .digest("base64")
    const known = made.get(id)
    if (known !== undefined) return known
    const settings = { id, secureContext: contextOf({ ca, cert: certificate, key }) }
    made.set(id, settings)
    const [oldest] = made.keys()
    if (made.size > sourceTlsMax && oldest !== undefined) made.delete(oldest)
    return settings
  }
}

const contextOf = (settings: {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}): SecureContext => {
  try {
    return createSecureContext({
      minVersion: "TLSv1.2",
      ...(settings.ca !== undefined && { ca: settings.ca }),
      ...(settings.cert !== undefined && { cert: settings.cert }),
      ...(settings.key !== undefined && { key: settings.key }),
    })
  } catch {
    throw failure("tls_invalid", "a certificate of the data source is invalid, or its key does not match")
  }
}
