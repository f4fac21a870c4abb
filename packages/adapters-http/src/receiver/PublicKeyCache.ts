import * as Result from "effect/Result"
import { pemToPublicKey } from "@tocsin/domain/signature/Ed25519PublicKey"
import { publicKeyMaxAgeSeconds, publicKeyPath, publicKeysPath } from "@tocsin/domain/signature/SigningKeys"
import type { VerifySignature } from "@tocsin/domain/signature/VerifyRequest"
import { importPublicKey } from "../crypto/Ed25519Node.ts"

/** Shortest time between two fetches of the public keys for an unknown `keyid`, in milliseconds. */
export const publicKeyRefetchMinMs = 30_000

/** Shortest time between a failed fetch of the public keys and the next fetch, in milliseconds. */
export const publicKeyRetryMinMs = 1_000

/** Timeout of one fetch of the public keys, in milliseconds. */
export const publicKeyFetchDeadlineMs = 5_000

/** Largest response with public keys that is read, in bytes. */
export const publicKeyResponseMaxBytes = 64 * 1024

/** Where the public keys of the sender are fetched. */
export type PublicKeySource =
  | {
      /** The sender's base URL: its list of keys is fetched, or, if there is none, its one public key. */
      readonly baseUrl: string
    }
  | {
      /** The full URL of the sender's public key. */
      readonly publicKeyUrl: string
    }

export type Fetch = (
  url: string,
  init: {
    readonly signal: AbortSignal
    readonly redirect: "error"
    readonly headers: Record<string, string>
  },
) => Promise<Response>

/**
 * The sender's public keys, by `keyId`.
 *
 * Caches keys for 300 s. For an unknown `keyid` they are fetched again, at most every 30 s;
 * while no fresh keys are cached, at most every second. Calls at the same time share one fetch, which takes at
 * most 5 s and reads at most 64 KiB. If the keys are too old and cannot be fetched, no key is returned, so that a withdrawn key
 * is never trusted for longer.
 */
export class PublicKeyCache {
  private readonly urls: ReadonlyArray<string>
  private readonly fetch: Fetch
  private readonly now: () => number
  private keys: ReadonlyMap<string, VerifySignature> = new Map()
  private fetchedAtMs = Number.NEGATIVE_INFINITY
  private attemptedAtMs = Number.NEGATIVE_INFINITY
  private failure: unknown
  private inFlight: Promise<void> | undefined

  /**
   * Throws a `TypeError` when the URL is not `https:`; `http:` is allowed for loopback, or with `allowHttp`. A signature
   * proves no more than the connection that its key came over.
   */
  constructor(source: PublicKeySource, allowHttp: boolean, fetch: Fetch, now: () => number) {
    this.urls =
      "baseUrl" in source
        ? [publicKeysPath, publicKeyPath].map((path) => source.baseUrl.replace(/\/+$/, "") + path)
        : [source.publicKeyUrl]
    for (const url of this.urls) checkUrl(url, allowHttp)
    this.fetch = fetch
    this.now = now
  }

  /** The key of a `keyid`, if it is cached and fresh. */
  readonly keyOf = (keyId: string): VerifySignature | undefined =>
    this.isFresh() ? this.keys.get(keyId) : undefined

  /** Fetches the keys if due. Rejects when there are no fresh keys afterwards. */
  async refresh(): Promise<void> {
    const intervalMs = this.isFresh() ? publicKeyRefetchMinMs : publicKeyRetryMinMs
    const isAllowed = this.now() - this.attemptedAtMs >= intervalMs
    if (this.inFlight === undefined && isAllowed) {
      this.inFlight = this.load().finally(() => {
        this.inFlight = undefined
      })
    }
    await this.inFlight
    if (!this.isFresh()) throw new Error("the public keys cannot be fetched", { cause: this.failure })
  }

  private isFresh(): boolean {
    return this.now() - this.fetchedAtMs < publicKeyMaxAgeSeconds * 1_000
  }

  private async load(): Promise<void> {
    this.attemptedAtMs = this.now()
    try {
      this.keys = await this.fetchFirst()
      this.fetchedAtMs = this.now()
    } catch (cause) {
      this.failure = cause
    }
  }

  private async fetchFirst(): Promise<ReadonlyMap<string, VerifySignature>> {
    const signal = AbortSignal.timeout(publicKeyFetchDeadlineMs)
    let status = 0
    for (const url of this.urls) {
      const response = await this.fetch(url, {
        signal,
        redirect: "error",
        headers: { accept: "application/json" },
      })
      if (response.ok) return readKeys(await readText(response))
      await response.body?.cancel()
      status = response.status
      if (status !== 404) break
    }
    throw new Error(`the public key endpoint returned ${status}`)
  }
}

const checkUrl = (url: string, allowHttp: boolean): void => {
  const { protocol, hostname } = new URL(url)
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol === "https:" || (protocol === "http:" && (allowHttp || isLoopback))) return
  throw new TypeError("the address of the public key must start with https:// (or set allowHttp)")
}

const readText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > publicKeyResponseMaxBytes) throw new Error("the response with the public keys is too large")
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** Keys that cannot be used (another algorithm, a weak key) are left out; a response without any key is an error. */
const readKeys = (text: string): ReadonlyMap<string, VerifySignature> => {
  const response: unknown = JSON.parse(text)
  const entries = isRecord(response) && Array.isArray(response["keys"]) ? response["keys"] : [response]
  const keys = new Map<string, VerifySignature>()
  for (const entry of entries) {
    if (!isRecord(entry) || entry["algorithm"] !== "ed25519") continue
    const { keyId, publicKeyPem } = entry
    if (typeof keyId !== "string" || typeof publicKeyPem !== "string") continue
    const publicKey = pemToPublicKey(publicKeyPem)
    if (Result.isSuccess(publicKey)) keys.set(keyId, importPublicKey(publicKey.success))
  }
  if (keys.size === 0) throw new Error("the response has no usable Ed25519 key")
  return keys
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null
