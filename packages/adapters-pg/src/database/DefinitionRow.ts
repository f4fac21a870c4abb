import {
  type Definition,
  definitionFromStored,
  definitionKey,
  type DefinitionOf,
  definitionToStored,
} from "@tocsin/domain/adapter"
import { anyString, list, stored } from "@tocsin/domain/codec"
import {
  type DefinitionKey,
  type Kind,
  labelTokens,
  type OrganizationId,
  type ProjectKey,
} from "@tocsin/domain/kernel"
import {
  redact,
  reveal,
  type SealedSecret,
  type SecretBox,
  type SecretCannotBeOpened,
  type SecretPlace,
  type StoredDefinition,
} from "@tocsin/domain/ports"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { inRow, StoredRowIsInvalid } from "./StoredRow.ts"

export interface DefinitionRow extends ProjectKey {
  readonly kind: string
  readonly definition: string
  readonly sealed: Uint8Array | null
  readonly sealing_key_id: string | null
  readonly version: number
  readonly created_at: number
  readonly updated_at: number
}

interface WrittenDefinition {
  readonly key: DefinitionKey
  readonly json: string
  readonly labels: ReadonlyArray<string>
  readonly sealed: SealedSecret | undefined
}

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

export const rowToDefinition = (
  box: SecretBox["Service"],
  organization: OrganizationId,
  row: DefinitionRow,
): Result.Result<StoredDefinition, SecretCannotBeOpened | StoredRowIsInvalid> =>
  Result.gen(function* () {
    const name = `${row.kind} ${row.project}/${row.name}`
    const secrets =
      row.sealed === null || row.sealing_key_id === null
        ? []
        : yield* inRow(
            `secrets of ${name}`,
            storedSecrets.read(
              new TextDecoder().decode(
                reveal(
                  yield* box.open(placeOf(organization, row), {
                    keyId: row.sealing_key_id,
                    bytes: row.sealed,
                  }),
                ),
              ),
              undefined,
            ),
          )
    const definition = yield* inRow(
      name,
      definitionFromStored({ json: row.definition, secrets: secrets.map((text) => redact(text)) }),
    )
    return {
      definition,
      version: String(row.version),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }
  })

export const rowToDefinitionOf = <K extends Kind>(
  kind: K,
  box: SecretBox["Service"],
  organization: OrganizationId,
  row: DefinitionRow,
): Result.Result<StoredDefinition<DefinitionOf<K>>, SecretCannotBeOpened | StoredRowIsInvalid> =>
  Result.flatMap(rowToDefinition(box, organization, row), ({ definition, ...stored }) =>
    isOfKind(kind, definition)
      ? Result.succeed({ ...stored, definition })
      : Result.fail(
          new StoredRowIsInvalid({
            row: `${row.kind} ${row.project}/${row.name}`,
            issues: [{ path: "document.kind", code: "not_allowed_value", message: `must be ${kind}` }],
          }),
        ),
  )

const isOfKind = <K extends Kind>(kind: K, definition: Definition): definition is DefinitionOf<K> =>
  definition.kind === kind

export const placeOf = (
  organization: OrganizationId,
  { kind, project, name }: ProjectKey & { readonly kind: string },
): SecretPlace => ({ organization, record: `${kind}/${project}/${name}` })

const storedSecrets = stored(list(anyString), [])

const secretsToBytes = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Redacted.Redacted<Uint8Array> =>
  redact(new TextEncoder().encode(storedSecrets.write(secrets.map(reveal)).json))
