import {
  type Definition,
  definitionFromStored,
  definitionKey,
  definitionToStored,
} from "@tocsin/domain/definition/Definition"
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
  const { json, secrets } = definitionToStored(definition)
  return {
    key,
    json,
    labels: labelTokens("labels" in definition.metadata ? definition.metadata.labels : undefined),
    sealed: secrets.length === 0 ? undefined : box.seal(placeOf(organization, key), secretsToBytes(secrets)),
  }
}

/**
 * Reads a row; fails with `SecretCannotBeOpened` when its secrets are not under a key of the box, and with
 * `StoredDocumentIsInvalid`.
 */
export const rowToDefinition = <D extends Definition>(
  box: SecretBox["Service"],
  organization: OrganizationId,
  row: DefinitionRow,
) =>
  Effect.gen(function* () {
    const secrets =
      row.sealed === null || row.sealing_key_id === null
        ? []
        : bytesToSecrets(
            yield* Effect.fromResult(
              box.open(placeOf(organization, row), { keyId: row.sealing_key_id, bytes: row.sealed }),
            ),
          )
    const definition = yield* Effect.fromResult(definitionFromStored({ json: row.definition, secrets }))
    return {
      // Its kind is the one that the row was asked for by.
      definition: definition as D,
      version: String(row.version),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    } satisfies StoredDefinition<D>
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

const secretsToBytes = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Redacted.Redacted<Uint8Array> =>
  Redacted.make(new TextEncoder().encode(JSON.stringify(secrets.map(Redacted.value))))

/** Reads what `secretsToBytes` wrote, which nobody else can have sealed. */
const bytesToSecrets = (bytes: Redacted.Redacted<Uint8Array>): ReadonlyArray<Redacted.Redacted<string>> =>
  (JSON.parse(new TextDecoder().decode(Redacted.value(bytes))) as ReadonlyArray<string>).map((text) =>
    Redacted.make(text),
  )
