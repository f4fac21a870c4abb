import * as Result from "effect/Result"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { DefinitionsAreInvalid } from "../definition/ApplyDefinitions.ts"
import { decodeDefinition, type DecodeOptions } from "../definition/DecodeDefinition.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { Issue } from "../codec/Issue.ts"
import {
  notificationContentType,
  notificationHeaders,
  notificationMethod,
  renderBody,
} from "./NotificationRequest.ts"
import { prepareMethod } from "./PreparedMethod.ts"
import { writeContentDigest } from "../signature/ContentDigest.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { signatureLabel, writeSignatureParams } from "../signature/SignatureInput.ts"
import { Signer, type SignerIsUnavailable } from "../signature/Signer.ts"
import { signedBase } from "../signature/SignRequest.ts"
import { sampleVariableValues } from "../template/Variable.ts"
import { sampleValues } from "./SampleValues.ts"
import type { AlertMethod, AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import { hiddenValue } from "../codec/Codec.ts"
import { resolveHidden } from "../alert-method/ResolveHidden.ts"

/** What an alert method would send with sample values. */
export interface AlertMethodPreview {
  readonly body: string
  /** In the order sent; values of secret headers are hidden. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Hidden in it are the authority and the path of a URL that is stored and was not handed in. */
  readonly signatureBase: string
}

/**
 * Shows what a definition of an alert method would send now: body, headers and signature base. Nothing is stored,
 * nothing is sent, and nothing is signed: the header `Signature` is left out, so that no preview passes for a
 * notification.
 *
 * Fails with `DefinitionsAreInvalid`, with every issue of the definition.
 */
export const previewAlertMethod = (
  organization: OrganizationId,
  input: unknown,
  options: DecodeOptions & { readonly baseUrl: string },
): Effect.Effect<
  AlertMethodPreview,
  DefinitionsAreInvalid | DefinitionStoreIsUnavailable | SignerIsUnavailable,
  DefinitionStore | Signer | Sha256
> =>
  Effect.gen(function* () {
    const { sha256Base64 } = yield* Sha256
    const definition = decodeDefinition(input, options)
    if (Result.isFailure(definition)) return yield* new DefinitionsAreInvalid({ issues: definition.failure })
    const draft = definition.success
    if (draft.kind !== "AlertMethod") return yield* refuse(kindIssue)
    const stored = yield* (yield* DefinitionStore).find(organization, "AlertMethod", draft.metadata)
    const resolved = resolveHidden(draft, atUrlOf(draft, Option.getOrUndefined(stored)?.definition))
    if (Result.isFailure(resolved)) return yield* new DefinitionsAreInvalid({ issues: resolved.failure })
    const prepared = prepareMethod(resolved.success)
    const body = renderBody(prepared, sampleValues(organization, options.baseUrl))
    if (Result.isFailure(body)) return yield* refuse(tooLargeIssue)
    const key = yield* (yield* Signer).current
    const created = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const contentDigest = writeContentDigest(body.success, sha256Base64)
    const signatureParams = writeSignatureParams(created, key.keyId)
    const { url } = draft.spec.webhook
    const isUrlShown = url !== undefined && url !== hiddenValue
    return {
      body: new TextDecoder().decode(body.success),
      headers: [
        ["Content-Type", notificationContentType],
        ["Content-Digest", contentDigest],
        ["Signature-Input", `${signatureLabel}=${signatureParams}`],
        ...notificationHeaders({
          id: sampleVariableValues.notification_id,
          event: "alert.triggered",
          attempt: 1,
        }),
        ...shownHeaders(draft),
      ],
      signatureBase: signedBase(
        {
          method: notificationMethod,
          authority: isUrlShown ? prepared.url.authority : hiddenValue,
          path: isUrlShown ? prepared.url.path : hiddenValue,
          contentType: notificationContentType,
        },
        contentDigest,
        signatureParams,
      ),
    }
  })

/** The stored method with the given URL; comparing the two would reveal the stored URL to viewers. */
const atUrlOf = (
  { spec: { webhook } }: AlertMethodDraft,
  stored: AlertMethod | undefined,
): AlertMethod | undefined =>
  stored === undefined || webhook.url === undefined || webhook.url === hiddenValue
    ? stored
    : { ...stored, spec: { ...stored.spec, webhook: { ...stored.spec.webhook, url: webhook.url } } }

const refuse = (issue: Issue) => new DefinitionsAreInvalid({ issues: [issue] })

const kindIssue: Issue = { path: "kind", code: "not_allowed_value", message: "must be AlertMethod" }

const tooLargeIssue: Issue = {
  path: "spec.webhook.template",
  code: "too_large",
  message: "renders a body that is larger than allowed, even with sample values",
}

const shownHeaders = ({ spec }: AlertMethodDraft): ReadonlyArray<readonly [name: string, value: string]> =>
  spec.webhook.headers.map(({ name, value, isSecret }) => [
    name,
    isSecret || value === hiddenValue ? hiddenValue : Redacted.value(value),
  ])
