import * as Result from "effect/Result"
import { normalizeAuthority } from "@tocsin/domain/signature/SignatureBase"
import {
  signatureMaxAgeSeconds,
  signatureMaxAheadSeconds,
  type ReceivedRequest,
  type VerifiedSignature,
  verifyRequest,
} from "@tocsin/domain/signature/VerifyRequest"
import { verifierFunctions } from "../crypto/VerifierNode.ts"
import { bodyTooLarge, NotificationRejected } from "./NotificationRejected.ts"
import { type Fetch, PublicKeyCache, type PublicKeySource } from "./PublicKeyCache.ts"
import { makeReplayGuardMemory, type ReplayGuard } from "./ReplayGuard.ts"
import { renderedBodyMaxBytes } from "@tocsin/domain/notification/NotificationRequest"

/** Settings of a receiver: where the sender's keys are, its own authority, and optional limits. */
export type NotificationVerifierOptions = PublicKeySource & {
  /**
   * The host, and port unless 443, in the receiver's own webhook URL: `hooks.example.com`. Notifications signed for
   * another one are rejected. A signature identifies the sender, not the recipient: everyone with an alert method at the same sender gets
   * signed notifications, with a body and path of their choice, and can forward them.
   *
   * - One name: a notification must be signed for it. The `Host` header is ignored, so a proxy may change it.
   * - A list, for a receiver under several names: `Host` must be one of them, and the notification signed for that one.
   * - `"as received"`: the `Host` header is trusted. Only where nobody else can make the sender sign
   *   for another host, as in tests on one machine.
   *
   * Case and `:443` do not matter. `X-Forwarded-Host` is ignored, as anybody can send it.
   */
  readonly authority: string | ReadonlyArray<string>
  /** Maximum age of a signature, in seconds. Default: 300. */
  readonly maxAgeSeconds?: number
  /** How far a signature's time may be ahead of the receiver's clock, in seconds. Default: 60. */
  readonly maxAheadSeconds?: number
  /** Maximum size of a body, in bytes. Default: 256 KiB, the maximum that is sent. */
  readonly bodyMaxBytes?: number
  /** Detects replays. Default: in the memory of this process. */
  readonly replayGuard?: ReplayGuard
  /** Allows fetching the public key over plain HTTP, for a sender in your own network. Default: false. */
  readonly allowHttp?: boolean
  /** Default: the platform's. */
  readonly fetch?: Fetch
  /** The time, in Unix milliseconds. Default: the platform's. */
  readonly now?: () => number
}

/**
 * A notification with a valid digest and signature, accepted for the first time.
 *
 * - `body` is the raw bytes, `json()` their content. Act on these only: the body, the method, the host, the path and the
 *   content type are signed.
 * - `id`, `event` and `attempt` come from headers that are **not** signed (`Notification-Id`, `Notification-Event`,
 *   `Notification-Attempt`); they are `undefined` when absent.
 * - `isRepeated`: a notification with this ID was accepted in the last minutes. It does not show whether it was
 *   processed then: if that failed, process it now. The sender repeats a notification until it receives a 2xx response,
 *   for two to three days; to process each exactly once, store the IDs of processed notifications for as long. Putting
 *   `$notification_id` into the template makes the ID part of the signed body.
 */
export interface VerifiedNotification {
  readonly body: Uint8Array
  readonly json: () => unknown
  readonly signature: VerifiedSignature
  readonly id: string | undefined
  readonly event: string | undefined
  readonly attempt: number | undefined
  readonly isRepeated: boolean
}

/** Verifies notifications. Create one and reuse it: it caches keys and detects replays. */
export interface NotificationVerifier {
  /** Maximum size of a body, in bytes. */
  readonly bodyMaxBytes: number
  /**
   * Verifies and accepts a request as received. Rejects with `NotificationRejected`.
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
  const { maxAgeSeconds = signatureMaxAgeSeconds, now = Date.now } = options
  const { maxAheadSeconds = signatureMaxAheadSeconds, bodyMaxBytes = renderedBodyMaxBytes } = options
  for (const [name, value] of Object.entries({ maxAgeSeconds, maxAheadSeconds, bodyMaxBytes })) {
    if (!(value >= 0 && value < Infinity)) throw new TypeError(`${name} must be a number of at least 0`)
  }
  const authorityOf = readAuthority(options.authority)
  const guard = options.replayGuard ?? makeReplayGuardMemory(now)
  const keys = new PublicKeyCache(options, options.allowHttp ?? false, options.fetch ?? fetch, now)

  const check = (request: ReceivedRequest) =>
    verifyRequest(
      request,
      { keyOf: keys.keyOf, nowSeconds: Math.floor(now() / 1_000), maxAgeSeconds, maxAheadSeconds },
      verifierFunctions,
    )

  /** When the signature expires; the replay guard stores it until then. */
  const remember = async (key: string): Promise<boolean> => {
    try {
      return await guard.remember(key, Math.ceil(maxAgeSeconds + maxAheadSeconds) + 1)
    } catch (cause) {
      throw new NotificationRejected({
        code: "replay_guard_unavailable",
        message: "the replay guard failed",
        cause,
      })
    }
  }

  const verify = async (received: ReceivedRequest): Promise<VerifiedNotification> => {
    if (received.body.length > bodyMaxBytes) throw bodyTooLarge(bodyMaxBytes)
    const request = { ...received, authority: authorityOf(received) }
    let outcome = check(request)
    if (Result.isFailure(outcome) && outcome.failure.code === "key_unknown") {
      await keys.refresh().catch((cause: unknown) => {
        throw new NotificationRejected({
          code: "keys_unavailable",
          message: "the public keys of the sender cannot be fetched",
          cause,
        })
      })
      outcome = check(request)
    }
    if (Result.isFailure(outcome)) {
      throw new NotificationRejected({ code: outcome.failure.code, message: outcome.failure.message })
    }
    const signature = outcome.success
    if (!(await remember(`signature:${Buffer.from(signature.signature).toString("base64")}`))) {
      throw new NotificationRejected({ code: "replayed", message: "this signature was accepted before" })
    }
    const id = headerOf(request, "notification-id")
    const attempt = Number(headerOf(request, "notification-attempt"))
    return {
      body: request.body,
      json: () => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(request.body)),
      signature,
      id,
      event: headerOf(request, "notification-event"),
      attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : undefined,
      isRepeated: id !== undefined && !(await remember(`notification:${id.slice(0, 128)}`)),
    }
  }

  return { bodyMaxBytes, verify }
}

/** Finds the authority that a request must be signed for; throws `NotificationRejected` if there is none. */
const readAuthority = (
  authority: NotificationVerifierOptions["authority"],
): ((received: ReceivedRequest) => string) => {
  if (authority === "as received") return (received) => received.authority
  if (!Array.isArray(authority)) {
    const own = readHost(authority)
    return () => own
  }
  const own = new Set(authority.map(readHost))
  if (own.size === 0) throw new TypeError("authority must be at least one host")
  return (received) => {
    const host = normalizeAuthority(received.authority)
    if (own.has(host)) return host
    throw new NotificationRejected({
      code: "authority_unexpected",
      message: `the Host field must be one of this receiver's own: ${[...own].join(", ")}`,
    })
  }
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

const headerOf = (request: ReceivedRequest, name: string): string | undefined =>
  request.headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1]
