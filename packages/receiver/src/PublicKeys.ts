import type { CryptoFunctions, VerifySignature } from "./Platform.ts"
import { pemToPublicKey } from "./PublicKey.ts"

/** Longest time for which fetched public keys are trusted, in seconds. */
export const publicKeyMaxAgeSeconds = 300

/** Shortest time between two fetches of the public keys for an unknown `keyid`, in milliseconds. */
const publicKeyRefetchMinMs = 30_000

/** Shortest time between a failed fetch of the public keys and the next fetch, in milliseconds. */
const publicKeyRetryMinMs = 1_000

/** Timeout of one fetch of the public keys, in milliseconds. */
const publicKeyFetchDeadlineMs = 5_000

/** Largest response with public keys that is read, in bytes. */
export const publicKeyResponseMaxBytes = 64 * 1024

/** The endpoint of the sender's current public key. */
export const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** The endpoint of the sender's public keys. */
export const publicKeysPath = "/api/notifications/v1/webhook-http-signature/public-keys"

/** Where the public keys of the sender are fetched. */
export type PublicKeySource =
  | {
      /**
       * The sender's base URL, `https://tocsin.example.com`: its list of keys is fetched, or, if there is none, its one
       * public key. Without query, fragment and credentials.
       */
      readonly baseUrl: string
    }
  | {
      /** The full URL of the sender's public key. Without fragment and credentials. */
      readonly publicKeyUrl: string
    }

/** Fetches public keys, as the platform's `fetch` does. It must not follow redirects. */
export type Fetch = (
  url: string,
  init: {
    /** Aborts after 5 s. */
    readonly signal: AbortSignal
    /** A redirect is a response like others, and is refused. */
    readonly redirect: "manual"
    /** With `accept`. */
    readonly headers: Record<string, string>
  },
) => Promise<Response>

export interface PublicKeysOptions {
  /** Only keys of this organization are trusted. */
  readonly organization: string | undefined
  readonly allowHttp: boolean
  readonly fetch: Fetch
  /** In Unix milliseconds. */
  readonly now: () => number
  readonly importPublicKey: CryptoFunctions["importPublicKey"]
}

/**
 * The sender's public keys, by `keyId`.
 *
 * A key is trusted for 300 s from the last response that named it, and not after a list that leaves it out. For an unknown
 * `keyid` they are fetched again, at most every 30 s; while no key is fresh, at most every second. Calls at the same time
 * share one fetch, which takes at most 5 s and reads at most 64 KiB.
 */
export class PublicKeys {
  private readonly urls: ReadonlyArray<string>
  private readonly options: PublicKeysOptions
  private keys: ReadonlyMap<string, PublicKey> = new Map()
  private attemptedAtMs = Number.NEGATIVE_INFINITY
  private failure: unknown
  private inFlight: Promise<void> | undefined

  /**
   * Throws a `TypeError` when the URL is not `https:`; `http:` is allowed for loopback, or with `allowHttp`. A signature
   * proves no more than the connection that its key came over.
   */
  constructor(source: PublicKeySource, options: PublicKeysOptions) {
    this.options = options
    this.urls = urlsOf(source, options)
  }

  /** The key of a `keyid`, if it is fresh. */
  readonly keyOf = (keyId: string): VerifySignature | undefined => {
    const key = this.keys.get(keyId)
    return key !== undefined && this.isFresh(key) ? key.verify : undefined
  }

  /** Fetches the keys if due. Rejects when there are no fresh keys afterwards. */
  async refresh(): Promise<void> {
    const intervalMs = this.hasFresh() ? publicKeyRefetchMinMs : publicKeyRetryMinMs
    const isAllowed = this.options.now() - this.attemptedAtMs >= intervalMs
    if (this.inFlight === undefined && isAllowed) {
      this.inFlight = this.load().finally(() => {
        this.inFlight = undefined
      })
    }
    await this.inFlight
    if (!this.hasFresh()) {
      // Without its query, which may be secret.
      const [url] = (this.urls[0] ?? "").split("?", 1)
      const message = `the public keys cannot be fetched from ${url}: ${reasonOf(this.failure)}`
      throw new Error(message, { cause: this.failure })
    }
  }

  private isFresh({ fetchedAtMs }: PublicKey): boolean {
    return this.options.now() - fetchedAtMs < publicKeyMaxAgeSeconds * 1_000
  }

  private hasFresh(): boolean {
    return [...this.keys.values()].some((key) => this.isFresh(key))
  }

  private async load(): Promise<void> {
    this.attemptedAtMs = this.options.now()
    try {
      const { keys, isList } = await this.read(await this.fetchFirst())
      // The endpoint of one key does not tell whether another is still valid.
      const others = isList ? [] : [...this.keys].filter(([, key]) => this.isFresh(key))
      this.keys = new Map([...others, ...keys])
    } catch (cause) {
      this.failure = cause
    }
  }

  private async fetchFirst(): Promise<string> {
    const signal = AbortSignal.timeout(publicKeyFetchDeadlineMs)
    let status = 0
    for (const url of this.urls) {
      const response = await this.options.fetch(url, {
        signal,
        redirect: "manual",
        headers: { accept: "application/json" },
      })
      if (response.ok) return readText(response)
      await response.body?.cancel()
      status = response.status
      if (status !== 404) break
    }
    throw new Error(`the public key endpoint returned ${status}`)
  }

  /** Keys that cannot be used (another algorithm, a weak key) are left out; a response without any key is an error. */
  private async read(text: string): Promise<{ keys: Map<string, PublicKey>; isList: boolean }> {
    const response: unknown = JSON.parse(text)
    if (!isRecord(response)) throw new Error("the response with the public keys is no object")
    const { organization } = this.options
    // A server that does not know the parameter would name its own keys.
    if (organization !== undefined && response["organization"] !== organization) {
      throw new Error(`the response does not name the keys of organization ${organization}`)
    }
    const isList = Array.isArray(response["keys"])
    const entries: ReadonlyArray<unknown> = Array.isArray(response["keys"]) ? response["keys"] : [response]
    const keys = new Map<string, PublicKey>()
    for (const entry of entries) {
      if (!isRecord(entry) || entry["algorithm"] !== "ed25519") continue
      const { keyId, publicKeyPem } = entry
      if (typeof keyId !== "string" || typeof publicKeyPem !== "string") continue
      const publicKey = pemToPublicKey(publicKeyPem)
      if (publicKey === undefined) continue
      const verify = await this.options.importPublicKey(publicKey)
      keys.set(keyId, { verify, fetchedAtMs: this.options.now() })
    }
    if (keys.size === 0) throw new Error("the response has no usable Ed25519 key")
    return { keys, isList }
  }
}

interface PublicKey {
  readonly verify: VerifySignature
  readonly fetchedAtMs: number
}

const urlsOf = (
  source: PublicKeySource,
  { organization, allowHttp }: PublicKeysOptions,
): ReadonlyArray<string> => {
  const name = "baseUrl" in source ? "baseUrl" : "publicKeyUrl"
  const text = "baseUrl" in source ? source.baseUrl : source.publicKeyUrl
  if (!URL.canParse(text)) throw new TypeError(`${name} must be a URL such as https://tocsin.example.com`)
  const given = new URL(text)
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(given.hostname)
  if (given.protocol !== "https:" && !(given.protocol === "http:" && (allowHttp || isLoopback))) {
    throw new TypeError(`${name} must start with https:// (or set allowHttp)`)
  }
  if (given.username !== "" || given.password !== "" || given.href.includes("#")) {
    throw new TypeError(`${name} must have no credentials and no fragment`)
  }
  if (name === "baseUrl" && given.href.includes("?")) throw new TypeError("baseUrl must have no query")
  const paths = name === "baseUrl" ? [publicKeysPath, publicKeyPath] : [""]
  return paths.map((path) => {
    const url = new URL(given)
    if (path !== "") url.pathname = given.pathname.replace(/\/+$/, "") + path
    if (organization !== undefined) url.searchParams.set("organization", organization)
    return url.href
  })
}

/** The innermost cause, which `fetch` wraps: its code, such as `ECONNREFUSED`, or its message. */
const reasonOf = (failure: unknown): string => {
  if (!(failure instanceof Error)) return String(failure)
  if (failure.cause instanceof Error) return reasonOf(failure.cause)
  return "code" in failure && typeof failure.code === "string" ? failure.code : failure.message
}

const readText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ""
  let size = 0
  for (;;) {
    const chunk = (await reader?.read())?.value
    if (chunk === undefined) return text
    size += chunk.length
    if (size > publicKeyResponseMaxBytes) {
      await reader?.cancel()
      throw new Error("the response with the public keys is too large")
    }
    text += decoder.decode(chunk, { stream: true })
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null
