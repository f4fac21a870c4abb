import * as Result from "effect/Result"
import type { AlertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import { type Definition, definitionKey } from "@tocsin/domain/definition/Definition"
import type { Labels } from "@tocsin/domain/metadata/Metadata"
import type { DefinitionKey, OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { SealedSecret, SecretBox, SecretPlace } from "@tocsin/domain/secret/SecretBox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** The columns of `definitions` that a definition is read from. */
export interface DefinitionRow {
  readonly kind: string
  readonly project: string
  readonly name: string
  readonly definition: string
  readonly sealed: Uint8Array | null
  readonly sealing_key_id: string | null
  readonly version: number
  readonly created_at: number
  readonly updated_at: number
}

/** The columns of a row that depend on the definition alone. */
export interface WrittenDefinition {
  readonly key: DefinitionKey
  readonly json: string
  readonly labels: ReadonlyArray<string>
  readonly sealed: SealedSecret | undefined
}

/** Writes a definition as a row, with its secrets separate and encrypted. */
export const definitionToRow = (
  box: SecretBox["Service"],
  organization: OrganizationId,
  definition: Definition,
): WrittenDefinition => {
  const key = definitionKey(definition)
  return {
    key,
    json: JSON.stringify(definition.kind === "AlertMethod" ? withoutSecrets(definition) : definition),
    labels: labelTokens("labels" in definition.metadata ? definition.metadata.labels : undefined),
    sealed:
      definition.kind === "AlertMethod"
        ? box.seal(placeOf(organization, key), secretsToBytes(definition))
        : undefined,
  }
}

/** Reads a row; fails with `SecretCannotBeOpened` when no key of the box decrypts its secrets. */
export const rowToDefinition = <D extends Definition>(
  box: SecretBox["Service"],
  organization: OrganizationId,
  row: DefinitionRow,
) =>
  Effect.gen(function* () {
    const stored = (definition: Definition): StoredDefinition<D> => ({
      // Rows are selected by their kind.
      definition: definition as D,
      version: String(row.version),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    })
    const definition = JSON.parse(row.definition) as Definition
    if (definition.kind !== "AlertMethod" || row.sealed === null || row.sealing_key_id === null) {
      return stored(definition)
    }
    const place = placeOf(organization, definitionKey(definition))
    const opened = box.open(place, { keyId: row.sealing_key_id, bytes: row.sealed })
    return Result.isSuccess(opened) ? stored(withSecrets(definition, opened.success)) : yield* opened.failure
  })

/** The place that the secrets of a definition are bound to. */
export const placeOf = (
  organization: OrganizationId,
  { kind, project, name }: { readonly kind: string; readonly project: string; readonly name: string },
): SecretPlace => ({ organization, record: `${kind}/${project}/${name}` })

/** The index entry of a label key: JSON, as a label may contain U+0000, which PostgreSQL cannot store. */
export const labelKeyToken = (key: string): string => JSON.stringify([key])

/** The index entry of a label key with a value. */
export const labelToken = (key: string, value: string): string => JSON.stringify([key, value])

const labelTokens = (labels: Labels = {}): ReadonlyArray<string> =>
  Object.entries(labels).flatMap(([key, values]) => [
    labelKeyToken(key),
    ...values.map((value) => labelToken(key, value)),
  ])

interface Secrets {
  readonly url: string
  /** By position; null where the header is not a secret. */
  readonly headers: ReadonlyArray<string | null>
}

const secretsToBytes = ({ spec: { webhook } }: AlertMethod): Redacted.Redacted<Uint8Array> => {
  const secrets: Secrets = {
    url: Redacted.value(webhook.url),
    headers: webhook.headers.map(({ value, isSecret }) => (isSecret ? Redacted.value(value) : null)),
  }
  return Redacted.make(new TextEncoder().encode(JSON.stringify(secrets)))
}

const withoutSecrets = ({ spec, ...method }: AlertMethod) => {
  const { url: _, ...webhook } = spec.webhook
  const headers = webhook.headers.map(({ value, ...header }) =>
    header.isSecret ? header : { ...header, value: Redacted.value(value) },
  )
  return { ...method, spec: { ...spec, webhook: { ...webhook, headers } } }
}

const withSecrets = (
  written: { readonly spec: object },
  secrets: Redacted.Redacted<Uint8Array>,
): AlertMethod => {
  const { spec, ...method } = written as ReturnType<typeof withoutSecrets>
  const { url, headers: values } = JSON.parse(new TextDecoder().decode(Redacted.value(secrets))) as Secrets
  const headers = spec.webhook.headers.map((header, index) => ({
    ...header,
    value: Redacted.make("value" in header ? header.value : (values[index] ?? "")),
  }))
  return { ...method, spec: { ...spec, webhook: { ...spec.webhook, url: Redacted.make(url), headers } } }
}
