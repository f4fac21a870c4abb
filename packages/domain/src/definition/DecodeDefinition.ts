import type * as Result from "effect/Result"
import type { AddressPolicy } from "../alert-method/AddressPolicy.ts"
import type { AlertMethod, AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import { alertMethodSpec } from "../alert-method/AlertMethodSpec.ts"
import { alertPolicySpec } from "../alert-policy/AlertPolicySpec.ts"
import { alertSilenceSpec } from "../alert-policy/AlertSilenceSpec.ts"
import { Limits } from "../Limits.ts"
import { sloSpec } from "../slo/SloSpec.ts"
import type { Definition } from "./Definition.ts"
import { type DefinitionKey, type Kind, kinds } from "../metadata/ObjectKey.ts"
import type { Issue } from "../codec/Issue.ts"
import { descriptionSpec, metadata, nameOf, projectMetadata, readProject } from "../metadata/Metadata.ts"
import { lenientObjectOf, objectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { decodeBy, oneOf } from "../codec/Rule.ts"

/** What decoding depends on besides the definition itself. */
export interface DecodeOptions {
  /** The first part of `apiVersion`. Source: decision 0113. */
  readonly vendorPrefix: string
  /** Where webhooks may go. Source: decision 0310. */
  readonly addressPolicy: AddressPolicy
  /** The project of a definition that names none; absent: such a definition is refused. Source: decision 0114. */
  readonly defaultProject?: string
}

/** A definition as it was handed in: every rule holds, hidden values still have to be resolved. */
export type DefinitionDraft = Exclude<Definition, AlertMethod> | AlertMethodDraft

/** The `apiVersion` of definitions. Source: contract section 9; decision 0113. */
export const apiVersionOf = (vendorPrefix: string): string => `${vendorPrefix}/v1alpha`

/**
 * Decodes one definition from plain data, as JSON or YAML give it.
 *
 * `organization` and `manifestSrc` at the top are read-only and ignored. Lengths count characters (code points).
 *
 * Fails with every issue, in the order of their paths; no message contains a value.
 *
 * Source: contract section 2.1; decisions 0101 to 0114.
 */
export const decodeDefinition = (
  input: unknown,
  options: DecodeOptions,
): Result.Result<DefinitionDraft, ReadonlyArray<Issue>> =>
  decodeBy(
    objectOf((reader) => readDefinition(reader, options)),
    input,
  )

/**
 * Decodes what names an object, and nothing else of its definition, which may be invalid.
 *
 * Fails with the issues of `apiVersion`, `kind`, `metadata.name` and `metadata.project`.
 */
export const decodeDefinitionKey = (
  input: unknown,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject">,
): Result.Result<DefinitionKey, ReadonlyArray<Issue>> => {
  const rule = lenientObjectOf((reader) => {
    const kind = readKind(reader, options.vendorPrefix)
    const named = reader.required(
      "metadata",
      lenientObjectOf((inner) => {
        const name = inner.required("name", nameOf(nameMaxOf(kind)))
        const project = kind === "Project" ? "" : readProject(inner, options.defaultProject)
        return name === undefined || project === undefined ? undefined : { project, name }
      }),
    )
    return kind === undefined || named === undefined ? undefined : { kind, ...named }
  })
  return decodeBy(rule, input)
}

const readDefinition = (reader: ObjectReader, options: DecodeOptions): DefinitionDraft | undefined => {
  reader.ignore("organization")
  reader.ignore("manifestSrc")
  const kind = readKind(reader, options.vendorPrefix)
  reader.valueOf("metadata")
  reader.valueOf("spec")
  switch (kind) {
    case undefined:
      // What every kind has can be judged all the same.
      readProjectMetadata(reader, undefined, { defaultProject: "none" })
      return undefined
    case "Project": {
      const named = reader.required("metadata", metadata({ nameMax: nameMaxOf(kind), hasLabels: true }))
      const spec = reader.has("spec") ? reader.optional("spec", descriptionSpec) : {}
      return named && spec && { kind, metadata: named, spec }
    }
    case "Service": {
      const named = readProjectMetadata(reader, kind, options)
      const spec = reader.has("spec") ? reader.optional("spec", descriptionSpec) : {}
      return named && spec && { kind, metadata: named, spec }
    }
    case "SLO": {
      const named = readProjectMetadata(reader, kind, options)
      const owner = named ?? { project: "none", name: "" }
      const spec = reader.required("spec", sloSpec(owner, options.addressPolicy))
      return named && spec && { kind, metadata: named, spec }
    }
    case "AlertPolicy": {
      const named = readProjectMetadata(reader, kind, options)
      // Without a project of its own, the policy has an issue that says so: any name stands in for it here.
      const spec = reader.required("spec", alertPolicySpec(named?.project ?? "none"))
      return named && spec && { kind, metadata: named, spec }
    }
    case "AlertMethod": {
      const named = readProjectMetadata(reader, kind, options)
      const spec = reader.required("spec", alertMethodSpec(options.addressPolicy))
      return named && spec && { kind, metadata: named, spec }
    }
    case "AlertSilence": {
      const named = readProjectMetadata(reader, kind, options)
      const spec = reader.required("spec", alertSilenceSpec(named?.project ?? "none"))
      return named && spec && { kind, metadata: named, spec }
    }
  }
}

const readKind = (reader: ObjectReader, vendorPrefix: string): Kind | undefined => {
  reader.required("apiVersion", oneOf([apiVersionOf(vendorPrefix)]))
  return reader.required("kind", oneOf(kinds))
}

const readProjectMetadata = (
  reader: ObjectReader,
  kind: Kind | undefined,
  options: Pick<DecodeOptions, "defaultProject">,
) =>
  reader.required(
    "metadata",
    projectMetadata({
      nameMax: nameMaxOf(kind),
      hasLabels: kind !== "AlertMethod" && kind !== "AlertSilence",
      defaultProject: options.defaultProject,
    }),
  )

const nameMaxOf = (kind: Kind | undefined): number =>
  kind === "SLO" ? Limits.sloNameMaxCharacters : Limits.nameMaxCharacters
