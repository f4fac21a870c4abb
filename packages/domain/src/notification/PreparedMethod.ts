import * as Redacted from "effect/Redacted"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { WebhookUrl } from "../alert-method/WebhookUrl.ts"
import type { Template } from "../template/Template.ts"
import { makeSecretMask, type SecretMask } from "./SecretMask.ts"

/** An alert method made ready for sending: its URL read, its template compiled. Holds secrets. */
export interface PreparedMethod {
  readonly url: WebhookUrl
  readonly template: Template
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Hides the method's secrets in what its receiver answers. */
  readonly mask: SecretMask
}

/** Makes an alert method ready for sending. The transport judges the URL's address whenever it connects. */
export const prepareMethod = ({ spec: { webhook } }: AlertMethod): PreparedMethod => {
  const url = Redacted.value(webhook.url)
  return {
    url,
    template: webhook.body.template,
    headers: webhook.headers.map(({ name, value }) => [name, Redacted.value(value)] as const),
    mask: makeSecretMask(
      url,
      webhook.headers.flatMap(({ value, isSecret }) => (isSecret ? [Redacted.value(value)] : [])),
    ),
  }
}

/** `prepareMethod` with a memory of its own: each stored definition is prepared once for as long as its store keeps it. */
export const makePreparedMethods = () => {
  const preparedByDefinition = new WeakMap<StoredDefinition<AlertMethod>, PreparedMethod>()
  return (stored: StoredDefinition<AlertMethod>): PreparedMethod => {
    const known = preparedByDefinition.get(stored)
    if (known !== undefined) return known
    const prepared = prepareMethod(stored.definition)
    preparedByDefinition.set(stored, prepared)
    return prepared
  }
}
