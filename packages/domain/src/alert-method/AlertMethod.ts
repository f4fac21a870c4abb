import type * as Redacted from "effect/Redacted"
import type { ProjectMetadata } from "../metadata/Metadata.ts"

/** A webhook alert method. Source: contract section 2.1. */
export interface AlertMethod {
  readonly kind: "AlertMethod"
  readonly metadata: ProjectMetadata
  readonly spec: {
    readonly description?: string
    readonly webhook: Webhook
  }
}

/** Where and what a webhook alert method sends. Exactly one of `template` and `templateFields` is given. */
export interface Webhook {
  /** The normalised URL, which is stored, dialled and signed (decision 0404); a secret (decision 0104). */
  readonly url: Redacted.Redacted<string>
  readonly template?: string
  readonly templateFields?: ReadonlyArray<string>
  readonly headers: ReadonlyArray<CustomHeader>
  /** Whether `alert.resolved` is sent too. Source: decision 0301. */
  readonly sendResolution: boolean
}

/** A header field that is sent with every notification of its method. Source: contract section 2.1, rule 2. */
export interface CustomHeader {
  readonly name: string
  readonly value: Redacted.Redacted<string>
  /** Whether the value is hidden on read. Source: decision 0104. */
  readonly isSecret: boolean
}

/** An alert method as it was handed in: hidden values are absent and mean the stored ones. Source: decision 0104. */
export interface AlertMethodDraft extends Omit<AlertMethod, "spec"> {
  readonly spec: Omit<AlertMethod["spec"], "webhook"> & {
    readonly webhook: Omit<Webhook, "url" | "headers"> & {
      readonly url: Redacted.Redacted<string> | undefined
      readonly headers: ReadonlyArray<CustomHeaderDraft>
    }
  }
}

/** A custom header as it was handed in: a hidden value is absent and means the stored one. Source: decision 0104. */
export interface CustomHeaderDraft extends Omit<CustomHeader, "value"> {
  readonly value: Redacted.Redacted<string> | undefined
}
