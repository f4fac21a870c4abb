import { reveal } from "../secret/SharedRedacted.ts"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import type { WebhookUrl } from "../alert-method/WebhookUrl.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { Template } from "../template/Template.ts"
import { makeSecretMask, type SecretMask } from "./SecretMask.ts"

/** What sending needs of an alert method. Contains secrets. */
export interface PreparedMethod {
  readonly url: WebhookUrl
  readonly template: Template
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Hides the method's secrets in responses of its receiver. */
  readonly mask: SecretMask
}

/** Prepares an alert method for sending. The address of the URL is checked by the transport, whenever it connects. */
export const prepareMethod = ({ spec: { webhook } }: AlertMethod): PreparedMethod => {
  const url = reveal(webhook.url)
  return {
    url,
    template: webhook.body.template,
    headers: webhook.headers.map(({ name, value }) => [name, reveal(value)]),
    mask: makeSecretMask(
      url,
      webhook.headers.flatMap(({ value, isSecret }) => (isSecret ? [reveal(value)] : [])),
    ),
  }
}

/** Makes a `prepareMethod` that prepares each stored definition once, for as long as its store caches it. */
export const makePreparedMethods = () => {
  const preparedByDefinition = new WeakMap<StoredDefinition<AlertMethod>, PreparedMethod>()
  return (stored: StoredDefinition<AlertMethod>): PreparedMethod => {
    const cached = preparedByDefinition.get(stored)
    if (cached !== undefined) return cached
    const prepared = prepareMethod(stored.definition)
    preparedByDefinition.set(stored, prepared)
    return prepared
  }
}
