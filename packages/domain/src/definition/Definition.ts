import type * as Redacted from "effect/Redacted"
import { redact, reveal } from "../secret/SharedRedacted.ts"
import * as Result from "effect/Result"
import { anyAddress } from "../alert-method/AddressPolicy.ts"
import { encode, hiddenValue, named, stored, StoredDocumentIsInvalid } from "../codec/Codec.ts"
import { choose } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { apiVersionOf } from "../metadata/Envelope.ts"
import { outlineOfParts, outlineParts, type SloOutline } from "../slo/SloOutline.ts"
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionKey,
  describedKind,
  isOrganizationKind,
  type Kind,
  kinds,
} from "./Kinds.ts"

const codecs = Object.fromEntries(Object.entries(kinds).map(([kind, { codec }]) => [kind, codec])) as {
  readonly [K in Kind]: (typeof kinds)[K]["codec"]
}

/** The codec of a definition of any kind, selected by `kind`. */
export const definition = named(choose("kind", codecs), "Definition")

/** Identifies a definition within its organization. `project` is `""` for a kind of the organization. */
export const definitionKey = ({ kind, metadata }: DefinitionDraft): DefinitionKey => ({
  kind,
  project: isOrganizationKind(kind) || !("project" in metadata) ? "" : metadata.project,
  name: metadata.name,
})

/** A definition as the API returns it: without secrets. Applying it again changes nothing. */
export const definitionToJson = (value: Definition, vendorPrefix: string): DefinitionJson => ({
  apiVersion: apiVersionOf(vendorPrefix),
  ...(encode(definition, value) as Omit<DefinitionJson, "apiVersion">),
})

/** The schema of `definition` describes it in full. */
export interface DefinitionJson {
  /** `tocsin/v1alpha` or with another prefix. */
  readonly apiVersion: string
  /** Its kind, such as `SLO`. */
  readonly kind: Kind
  /** `project` is absent for kinds of the organization. */
  readonly metadata: { readonly name: string; readonly project?: string }
  /** By the schema of the kind. */
  readonly spec: object
}

/** A definition as it is read, and its secrets. */
export interface ReadForm {
  /** JSON as the API returns it, without `apiVersion`. */
  readonly text: string
  /** JSON, to compare. */
  readonly secrets: string
}

export const readFormOf = (value: Definition): ReadForm => {
  const secrets: Array<string> = []
  const secret = (text: string) => {
    secrets.push(text)
    return hiddenValue
  }
  return { text: JSON.stringify(encode(definition, value, { secret })), secrets: JSON.stringify(secrets) }
}

/** Compares secrets and order too. */
export const readFormsAreEqual = (a: ReadForm, b: ReadForm): boolean =>
  a.text === b.text && a.secrets === b.secrets

/** Compares secrets and order too. */
export const definitionsAreEqual = (a: Definition, b: Definition): boolean =>
  readFormsAreEqual(readFormOf(a), readFormOf(b))

/** From each version of the stored form to the next one. */
const upgrades: ReadonlyArray<(document: unknown) => unknown> = []

const storedForm = stored(definition, upgrades)
const storedOutline = stored(outlineParts, upgrades)

/** A definition as it is stored; its secrets are separate. */
export interface StoredForm {
  readonly json: string
  /** In the order of the placeholders in `json`. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
}

/** Separates the secrets from the JSON. `definitionFromStored` reads the result, in this and in later versions. */
export const definitionToStored = (value: Definition): StoredForm => {
  const { json, secrets } = storedForm.write(value)
  return { json, secrets: secrets.map((text) => redact(text)) }
}

/** Reads a stored definition of this or an earlier version. Addresses are not checked again. */
export const definitionFromStored = ({
  json,
  secrets,
}: StoredForm): Result.Result<Definition, StoredDocumentIsInvalid> => {
  const sealed = secrets.map(reveal)
  return Result.flatMap(storedForm.read(json, { addressPolicy: anyAddress, sealed }), (draft) =>
    Result.mapError(resolveStored(draft, undefined), (issues) => new StoredDocumentIsInvalid({ issues })),
  )
}

/** Reads only the outline of a stored definition of an SLO. */
export const sloOutlineFromStored = (json: string): Result.Result<SloOutline, StoredDocumentIsInvalid> =>
  Result.map(storedOutline.read(json, undefined), outlineOfParts)

/** Takes what is not part of a draft, such as hidden values, from the stored definition of the same kind. */
export const resolveStored = (
  draft: DefinitionDraft,
  storedDefinition: Definition | undefined,
): Result.Result<Definition, ReadonlyArray<Issue>> =>
  describedKind(draft.kind).resolve?.(
    draft,
    storedDefinition?.kind === draft.kind ? storedDefinition : undefined,
  ) ??
  // A kind without `resolve` has no more in a definition than in a draft.
  Result.succeed(draft as Definition)
