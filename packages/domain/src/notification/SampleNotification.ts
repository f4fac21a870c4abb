import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { AlertMethod, AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import { resolveHidden } from "../alert-method/ResolveHidden.ts"
import { hiddenValue } from "../codec/Codec.ts"
import type { Issue } from "../codec/Issue.ts"
import { decodeDefinition, type DecodeOptions } from "../definition/DecodeDefinition.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { writeContentDigest } from "../signature/ContentDigest.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { signatureLabel, writeSignatureParams } from "../signature/SignatureParams.ts"
import { Signer, signedBase } from "../signature/SignRequest.ts"
import { type VariableValues, sampleVariableValues } from "../template/Variable.ts"
import { sloDetailsLink } from "../template/VariableText.ts"
import { readWarnings } from "../definition/WarningRules.ts"
import type { Warning } from "../codec/Warning.ts"
import { acknowledgeLink, testAcknowledgeToken } from "./AcknowledgeLink.ts"
import {
  notificationContentType,
  notificationHeaders,
  notificationMethod,
  prepareMethod,
  renderBody,
} from "./NotificationRequest.ts"
import { DefinitionsAreInvalid } from "../definition/DefinitionErrors.ts"

/** What an alert method would send with sample values. */
interface AlertMethodPreview {
  readonly body: string
  /** In the order sent; values of secret headers are hidden. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Authority and path are hidden if the definition leaves out its URL. */
  readonly signatureBase: string
  readonly warnings: ReadonlyArray<Warning>
}

/**
 * Returns what a definition of an alert method would send now: body, headers and signature base.
 *
 * Nothing is stored, sent or signed. The header `Signature` is left out, so that a preview cannot be used as a
 * notification. Fails with `DefinitionsAreInvalid`, with every issue of the definition.
 */
export const previewAlertMethod = Effect.fnUntraced(function* (
  organization: OrganizationId,
  input: unknown,
  options: DecodeOptions & { readonly baseUrl: string },
) {
  const { sha256Base64 } = yield* Sha256
  const definition = decodeDefinition(input, options)
  if (Result.isFailure(definition)) return yield* new DefinitionsAreInvalid({ issues: definition.failure })
  const draft = definition.success
  if (draft.kind !== "AlertMethod") return yield* new DefinitionsAreInvalid({ issues: [kindIssue] })
  const stored = yield* (yield* DefinitionStore).find(organization, "AlertMethod", draft.metadata)
  const resolved = resolveHidden(draft, withUrlOf(draft, Option.getOrUndefined(stored)?.definition))
  if (Result.isFailure(resolved)) return yield* new DefinitionsAreInvalid({ issues: resolved.failure })
  const prepared = prepareMethod(resolved.success)
  const body = renderBody(prepared, sampleValues(organization, options.baseUrl))
  if (Result.isFailure(body)) return yield* new DefinitionsAreInvalid({ issues: [tooLargeIssue] })
  const key = yield* (yield* Signer).current(organization)
  const created = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const contentDigest = writeContentDigest(body.success, sha256Base64)
  const signatureParams = writeSignatureParams(created, key.keyId)
  const { url, headers } = draft.spec.webhook
  const isUrlShown = url !== undefined && url !== hiddenValue
  const preview: AlertMethodPreview = {
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
      ...headers.map(({ name, value, isSecret }): readonly [string, string] => [
        name,
        isSecret || value === hiddenValue ? hiddenValue : Redacted.value(value),
      ]),
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
    warnings: yield* readWarnings(organization, draft, options),
  }
  return preview
})

/** The stored method with the URL of the draft; comparing the two would reveal the stored URL to viewers. */
const withUrlOf = (
  { spec: { webhook } }: AlertMethodDraft,
  stored: AlertMethod | undefined,
): AlertMethod | undefined =>
  stored === undefined || webhook.url === undefined || webhook.url === hiddenValue
    ? stored
    : { ...stored, spec: { ...stored.spec, webhook: { ...stored.spec.webhook, url: webhook.url } } }

const kindIssue: Issue = { path: "kind", code: "not_allowed_value", message: "must be AlertMethod" }

const tooLargeIssue: Issue = {
  path: "spec.webhook.template",
  code: "too_large",
  message: "renders a body that is larger than allowed, even with sample values",
}

/** A plausible value for each variable. */
export const sampleValues = (organization: OrganizationId, baseUrl: string): VariableValues => ({
  ...sampleVariableValues,
  organization,
  slo_details_link: sloDetailsLink(baseUrl, sampleVariableValues.project_name, sampleVariableValues.slo_name),
  acknowledge_link: acknowledgeLink(baseUrl, testAcknowledgeToken),
})
