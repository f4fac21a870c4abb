import { cryptoFunctions } from "#platform"
import { readBody, type ReceivedBody } from "./Body.ts"
import { checkContentDigest } from "./ContentDigest.ts"
import type { CryptoFunctions } from "./Platform.ts"
import { isBytes, reject } from "./NotificationRejected.ts"
import { type Fetch, PublicKeys, type PublicKeySource } from "./PublicKeys.ts"
import { makeReplayGuardMemory, type ReplayGuard } from "./ReplayGuard.ts"
import {
  signatureMaxAgeSeconds,
  signatureMaxAheadSeconds,
  type SignaturePolicy,
  type VerifiedHead,
  type VerifiedSignature,
  verifySignature,
} from "./RequestSignature.ts"
import type { RequestHead } from "./SignatureBase.ts"

/** Largest body of a notification, in bytes. */
export const notificationMaxBytes = 256 * 1024

/** Settings of a receiver: where the sender's keys are, its own authority, and optional limits. */
export type NotificationVerifierOptions = PublicKeySource & {
  /**
   * The host, and port unless 443, in the receiver's own webhook URL: `hooks.example.com`. Notifications signed for
   * another one are rejected. A signature identifies the sender, not the recipient: everyone with an alert method at the
   * same sender gets signed notifications, with a body and path of their choice, and can forward them.
   *
   * - One name: a notification must be signed for it. The `Host` header is ignored, so a proxy may change it.
   * - A list, for a receiver under several names: `Host` must be one of them, and the notification signed for that one.
   * - `"as received"`: the `Host` header is trusted. Only where nobody else can make the sender sign
   *   for another host, as in tests on one machine.
   *
   * Case and `:443` do not matter. `X-Forwarded-Host` is ignored, as anybody can send it.
   */
  readonly authority: string | ReadonlyArray<string>
  /**
   * Accept only notifications of this organization, which must have a signing key of its own. Default: those of every
   * organization of the server, since they share its key.
   */
  readonly organization?: string
  /** Maximum age of a signature, in seconds. Default: 300. */
  readonly maxAgeSeconds?: number
  /** How far the sender's clock may be off, in seconds. Default: 60. */
  readonly maxAheadSeconds?: number
  /** Maximum size of a body, in bytes. Default: 256 KiB, the maximum that is sent. */
  readonly bodyMaxBytes?: number
  /** Longest time in which a body must arrive, in milliseconds. Default: 10,000. */
  readonly bodyTimeoutMs?: number
  /** Detects replays. Default: in the memory of this process. */
  readonly replayGuard?: ReplayGuard
  /** Allows fetching the public key over plain HTTP, for a sender in your own network. Default: false. */
  readonly allowHttp?: boolean
  /** Fetches the public keys. Default: the platform's `fetch`. */
  readonly fetch?: Fetch
  /** The time, in Unix milliseconds. Default: the platform's. */
  readonly now?: () => number
  /** Digests and signatures. Default: those of the platform. */
  readonly crypto?: CryptoFunctions
}

/** A request as received, with a body that nothing has parsed. */
export interface ReceivedRequest extends RequestHead {
  /** The raw bytes, or where they can be read. They are read only if the signature is valid. */
  readonly body: ReceivedBody
}

/** A notification with a valid digest and signature, accepted for the first time. */
export interface VerifiedNotification {
  /** The raw bytes. Act on these only: the body, the method, the host, the path and the content type are signed. */
  readonly body: Uint8Array
  /** The body, read as JSON. Throws a `SyntaxError` if the template of the alert method makes no JSON. */
  readonly json: () => unknown
  /** Who signed it and when, and what was signed. */
  readonly signature: VerifiedSignature
  /** `Notification-Id`, which is **not** signed. Put `$notification_id` into the template to make it part of the body. */
  readonly id: string | undefined
  /** `Notification-Event`, for instance `alert.triggered`, which is **not** signed. */
  readonly event: string | undefined
  /** `Notification-Attempt`, from 1, which is **not** signed. */
  readonly attempt: number | undefined
  /**
   * A notification with this ID was accepted in the last minutes. It does not show whether it was processed then: if that
   * failed, process it now. The sender repeats a notification until it receives a 2xx response, for two to three days; to
   * process each exactly once, store the IDs of processed notifications for as long.
   */
  readonly isRepeated: boolean
}

/** Verifies notifications. Create one and reuse it: it caches keys and detects replays. */
export interface NotificationVerifier {
  /** Maximum size of a body, in bytes. */
  readonly bodyMaxBytes: number
  /**
   * Verifies and accepts a request as received: first its signature, then, once that is valid, its body.
   *
   * Rejects with `NotificationRejected`. Then respond with `Connection: close` on HTTP/1.1, as the body may be unread.
   */
  readonly verify: (request: ReceivedRequest) => Promise<VerifiedNotification>
}

/**
 * Makes a verifier of the notifications of one sender.
 *
 * All seven steps of verification: the digest of the raw body, the public key by its `keyid`, the signature, its age,
 * whether it was accepted before, and whether it is for this receiver.
 *
 * Throws a `TypeError` for an untrusted URL of the public key, a missing or empty `authority` or one that is not a host
 * (for instance, a URL), and a negative or invalid number.
 */
export const createNotificationVerifier = (options: NotificationVerifierOptions): NotificationVerifier => {
  const { maxAgeSeconds = signatureMaxAgeSeconds, maxAheadSeconds = signatureMaxAheadSeconds } = options
  const { bodyMaxBytes = notificationMaxBytes, bodyTimeoutMs = 10_000, now = Date.now } = options
  const limits = { maxAgeSeconds, maxAheadSeconds, bodyMaxBytes, bodyTimeoutMs }
  for (const [name, value] of Object.entries(limits)) {
    if (!(value >= 0 && value < Infinity)) throw new TypeError(`${name} must be a number of at least 0`)
  }
  if (options.organization === "") throw new TypeError("organization must not be empty")
  const functions = options.crypto ?? cryptoFunctions
  const authorityOf = readAuthority(options.authority)
  const guard = options.replayGuard ?? makeReplayGuardMemory(now)
  const keys = new PublicKeys(options, {
    organization: options.organization,
    allowHttp: options.allowHttp ?? false,
    // Workers reject a `fetch` that is called as a method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    now,
    importPublicKey: functions.importPublicKey,
  })
  const check = (head: RequestHead, keyOf: SignaturePolicy["keyOf"]) =>
    verifySignature(head, {
      authorityOf,
      keyOf,
      nowSeconds: Math.floor(now() / 1_000),
      maxAgeSeconds,
      maxAheadSeconds,
    })
  const refreshKeys = async () => {
    try {
      await keys.refresh()
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : "the public keys cannot be fetched"
      reject("keys_unavailable", `${message}; check the URL of the verifier`, cause)
    }
  }
  /** Remembers until the signature expires. */
  const rememberSeconds = Math.ceil(maxAgeSeconds + maxAheadSeconds) + 1
  const guardFailed = (cause: unknown) => reject("replay_guard_unavailable", "the replay guard failed", cause)
  const remember = (key: string): boolean | Promise<boolean> => {
    try {
      const isNew = guard.remember(key, rememberSeconds)
      return typeof isNew === "boolean" ? isNew : Promise.resolve(isNew).catch(guardFailed)
    } catch (cause) {
      return guardFailed(cause)
    }
  }
  return {
    bodyMaxBytes,
    // Awaits only what is not there at once: each await costs a microtask and its promise.
    verify: async (request) => {
      // A key is asked for last, and not only for the signature whose rejection is the reason.
      let isKeyMissing = false
      const keyOf = (keyId: string) => {
        const key = keys.keyOf(keyId)
        isKeyMissing ||= key === undefined
        return key
      }
      let head: VerifiedHead
      try {
        head = await check(request, keyOf)
      } catch (reason) {
        if (!isKeyMissing) throw reason
        await refreshKeys()
        head = await check(request, keys.keyOf)
      }
      const { signature, base64, digest, fields } = head
      const read = readBody(request.body, limits)
      const body = isBytes(read) ? read : await read
      await checkContentDigest(digest, body, functions)
      const isNew = remember(`signature:${base64}`)
      if (!(isNew === true || (await isNew))) reject("replayed", "this signature was accepted before")
      const id = fields.get("notification-id")
      const isFirst = id === undefined || remember(`notification:${id.slice(0, 128)}`)
      const attempt = Number(fields.get("notification-attempt"))
      return {
        body,
        json: () => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
        signature,
        id,
        event: fields.get("notification-event"),
        attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : undefined,
        isRepeated: !(isFirst === true || (await isFirst)),
      }
    },
  }
}

/** Finds the authority that a request must be signed for; throws `NotificationRejected` for another host. */
const readAuthority = (
  authority: NotificationVerifierOptions["authority"],
): ((received: string | undefined) => string | undefined) => {
  if (authority === "as received") return (received) => received
  if (!Array.isArray(authority)) {
    const own = readHost(authority)
    return () => own
  }
  const own = new Set(authority.map(readHost))
  if (own.size === 0) throw new TypeError("authority must be at least one host")
  return (received) =>
    received !== undefined && own.has(received)
      ? received
      : reject(
          "authority_unexpected",
          `the Host field must be one of this receiver's own: ${[...own].join(", ")}`,
        )
}

/** The host, and port unless 443, in the form in which it is signed. Throws a `TypeError`. */
const readHost = (text: unknown): string => {
  const url =
    typeof text === "string" && URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined
  if (url === undefined || url.href !== `https://${url.host}/` || /[\s/\\?#@*]/.test(`${text}`)) {
    throw new TypeError(
      'authority must be the host of the own webhook URL, with a port unless it is 443: "hooks.example.com"; ' +
        'or several in a list; or "as received"',
    )
  }
  return url.host
}
