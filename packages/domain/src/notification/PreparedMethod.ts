import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import { anyAddress } from "../alert-method/AddressPolicy.ts"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { parseWebhookUrl, type WebhookUrl } from "../alert-method/WebhookUrl.ts"
import { parseTemplate, type Template } from "../template/Template.ts"
import { templateFieldsToTemplate } from "../template/TemplateFields.ts"
import { makeSecretMask, type SecretMask } from "./SecretMask.ts"

/** An alert method made ready for sending: its URL read, its template compiled. Holds secrets. */
export interface PreparedMethod {
  readonly url: WebhookUrl
  readonly template: Template
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Hides the method's secrets in what its receiver answers. */
  readonly mask: SecretMask
}

/**
 * Makes an alert method ready for sending; `undefined` when its URL or its template is invalid, which the rules of a
 * definition exclude.
 *
 * The URL's address is not judged here: the transport does so whenever it connects.
 */
export const prepareMethod = ({ spec: { webhook } }: AlertMethod): PreparedMethod | undefined => {
  const url = parseWebhookUrl(Redacted.value(webhook.url), anyAddress)
  const template: Result.Result<Template, unknown> =
    webhook.template === undefined
      ? templateFieldsToTemplate(webhook.templateFields ?? [])
      : parseTemplate(webhook.template)
  if (Result.isFailure(url) || Result.isFailure(template)) return undefined
  return {
    url: url.success,
    template: template.success,
    headers: webhook.headers.map(({ name, value }) => [name, Redacted.value(value)] as const),
    mask: makeSecretMask(
      url.success,
      webhook.headers.flatMap(({ value, isSecret }) => (isSecret ? [Redacted.value(value)] : [])),
    ),
  }
}

/** `prepareMethod` with a memory of its own: each stored definition is prepared once for as long as its store keeps it. */
export const makePreparedMethods = () => {
  const preparedByDefinition = new WeakMap<StoredDefinition<AlertMethod>, PreparedMethod | undefined>()
  return (stored: StoredDefinition<AlertMethod>): PreparedMethod | undefined => {
    const known = preparedByDefinition.get(stored)
    if (known !== undefined) return known
    const prepared = prepareMethod(stored.definition)
    preparedByDefinition.set(stored, prepared)
    return prepared
  }
}
