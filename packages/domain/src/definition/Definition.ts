import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { anyAddress } from "../alert-method/AddressPolicy.ts"
import { type AlertMethod, alertMethod, type AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import { resolveHidden } from "../alert-method/ResolveHidden.ts"
import { alertPolicy } from "../alert-policy/AlertPolicy.ts"
import { alertSilence } from "../alert-policy/AlertSilence.ts"
import { encode, hiddenValue, named, stored, StoredDocumentIsInvalid, type TypeOf } from "../codec/Codec.ts"
import { choose } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { apiVersionOf } from "../metadata/Envelope.ts"
import type { DefinitionKey, Kind } from "../metadata/ObjectKey.ts"
import { budgetAdjustment, withStoredEvents } from "../slo/BudgetAdjustment.ts"
import { type DataSource, dataSource, type DataSourceDraft } from "../slo/DataSource.ts"
import { agent, direct, withSameType } from "../slo/MetricAgent.ts"
import { project } from "../slo/Project.ts"
import { reportDefinition } from "../slo/ReportDefinition.ts"
import { resolveHiddenSource } from "../slo/ResolveHiddenSource.ts"
import { service } from "../slo/Service.ts"
import { withStoredGroups } from "../slo/ObjectiveGroups.ts"
import { slo } from "../slo/Slo.ts"
import { withStoredIndicator } from "../slo/StoredIndicator.ts"

/** The codec of a definition of any kind, selected by `kind`. */
export const definition = named(
  choose("kind", {
    Project: project,
    Service: service,
    SLO: slo,
    AlertPolicy: alertPolicy,
    AlertMethod: alertMethod,
    AlertSilence: alertSilence,
    DataSource: dataSource,
    BudgetAdjustment: budgetAdjustment,
    Report: reportDefinition,
    Agent: agent,
    Direct: direct,
  }),
  "Definition",
)

/** A definition as submitted, with hidden values not yet resolved. */
export type DefinitionDraft = TypeOf<typeof definition>

/** A valid definition. */
export type Definition =
  Exclude<DefinitionDraft, AlertMethodDraft | DataSourceDraft> | AlertMethod | DataSource

/** A valid definition of one kind, such as `DefinitionOf<"SLO">`; a union of kinds gives a union of definitions. */
export type DefinitionOf<K extends Kind> = Extract<
  Definition,
  {
    /** The kind, or kinds, to select. */
    readonly kind: K
  }
>

/** Identifies a definition within its organization. `project` is `""` for a project or report. */
export const definitionKey = (definition: DefinitionDraft): DefinitionKey => ({
  kind: definition.kind,
  project: projectOf(definition),
  name: definition.metadata.name,
})

const projectOf = (definition: DefinitionDraft): string =>
  definition.kind === "Project" || definition.kind === "Report" ? "" : definition.metadata.project

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

const storedForm = stored(definition, [])

/** A definition as it is stored; its secrets are separate. */
export interface StoredForm {
  readonly json: string
  /** In the order of the placeholders in `json`. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
}

/** Separates the secrets from the JSON. `definitionFromStored` reads the result, in this and in later versions. */
export const definitionToStored = (value: Definition): StoredForm => {
  const { json, secrets } = storedForm.write(value)
  return { json, secrets: secrets.map((text) => Redacted.make(text)) }
}

/** Reads a stored definition of this or an earlier version. Addresses are not checked again. */
export const definitionFromStored = ({
  json,
  secrets,
}: StoredForm): Result.Result<Definition, StoredDocumentIsInvalid> => {
  const sealed = secrets.map(Redacted.value)
  return Result.flatMap(storedForm.read(json, { addressPolicy: anyAddress, sealed }), (draft) =>
    Result.mapError(resolveStored(draft, undefined), (issues) => new StoredDocumentIsInvalid({ issues })),
  )
}

/** Takes what is not part of a draft from the stored definition of the same kind: hidden values, and the groups of an SLO. */
export const resolveStored = (
  draft: DefinitionDraft,
  storedDefinition: Definition | undefined,
): Result.Result<Definition, ReadonlyArray<Issue>> => {
  switch (draft.kind) {
    case "AlertMethod":
      return resolveHidden(draft, storedDefinition?.kind === draft.kind ? storedDefinition : undefined)
    case "DataSource":
      return resolveHiddenSource(draft, storedDefinition?.kind === draft.kind ? storedDefinition : undefined)
    case "SLO": {
      const stored = storedDefinition?.kind === draft.kind ? storedDefinition : undefined
      return Result.map(withStoredIndicator(draft, stored), (slo) => withStoredGroups(slo, stored))
    }
    case "Agent":
    case "Direct":
      return withSameType(draft, storedDefinition?.kind === draft.kind ? storedDefinition : undefined)
    case "BudgetAdjustment":
      return withStoredEvents(draft, storedDefinition?.kind === draft.kind ? storedDefinition : undefined)
    default:
      return Result.succeed(draft)
  }
}
