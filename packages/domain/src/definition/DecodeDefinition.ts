import type * as Result from "effect/Result"
import type { AddressPolicy } from "../alert-method/AddressPolicy.ts"
import { type Codec, decode, type Reader } from "../codec/Codec.ts"
import { always, object, optional } from "../codec/Containers.ts"
import { type Issue, type IssueList, propertyPath } from "../codec/Issue.ts"
import { isObject, literals, oneOf } from "../codec/Leaves.ts"
import { apiVersionOf, readOnlyProperties, unread } from "../metadata/Envelope.ts"
import { objectName, ownedProject, projectMetadata, sloName } from "../metadata/Metadata.ts"
import { type DefinitionKey, kinds } from "../metadata/ObjectKey.ts"
import { definition, type DefinitionDraft } from "./Definition.ts"

export interface DecodeOptions {
  readonly vendorPrefix: string
  readonly addressPolicy: AddressPolicy
  /** The project of definitions without one; absent: a project is required. */
  readonly defaultProject?: string
}

/** Decodes one definition from plain data; fails with every issue, sorted by path. */
export const decodeDefinition = (
  input: unknown,
  options: DecodeOptions,
): Result.Result<DefinitionDraft, ReadonlyArray<Issue>> => decode({ read: readDefinition }, input, options)

const readDefinition: Reader<DefinitionDraft, DecodeOptions> = (input, path, issues, options) => {
  checkVersion(input, path, issues, options.vendorPrefix)
  if (isObject(input) && !kinds.some((kind) => kind === input["kind"])) {
    // Checks what all kinds have in common.
    ofUnknownKind.read(input, path, issues, { defaultProject: "none" })
  }
  return definition.read(input, path, issues, options)
}

/** Decodes only the key of a definition, which may otherwise be invalid. */
export const decodeDefinitionKey = (
  input: unknown,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject">,
): Result.Result<DefinitionKey, ReadonlyArray<Issue>> => decode({ read: readKey }, input, options)

const readKey: Reader<DefinitionKey, Pick<DecodeOptions, "vendorPrefix" | "defaultProject">> = (
  input,
  path,
  issues,
  options,
) => {
  checkVersion(input, path, issues, options.vendorPrefix)
  const kind =
    isObject(input) && (input["kind"] === "Project" || input["kind"] === "SLO") ? input["kind"] : "other"
  const read = keyByKind[kind].read(input, path, issues, options)
  if (read === undefined) return undefined
  const { name, project = "" }: { readonly name: string; readonly project?: string } = read.metadata
  return { kind: read.kind, project, name }
}

const keyOf = <M extends { readonly name: string; readonly project?: string }, C>(metadata: Codec<M, C>) =>
  object({ kind: literals(kinds), metadata }, { isOpen: true })

const keyByKind = {
  Project: keyOf(object({ name: objectName }, { isOpen: true })),
  SLO: keyOf(object({ name: sloName, project: always(ownedProject) }, { isOpen: true })),
  other: keyOf(object({ name: objectName, project: always(ownedProject) }, { isOpen: true })),
}

const ofUnknownKind = object(
  {
    apiVersion: optional(unread),
    kind: optional(unread),
    metadata: projectMetadata(objectName),
    spec: optional(unread),
  },
  { ignored: readOnlyProperties },
)

const checkVersion = (input: unknown, path: string, issues: IssueList, vendorPrefix: string): void => {
  if (!isObject(input)) return
  const given = Object.hasOwn(input, "apiVersion") ? input["apiVersion"] : undefined
  const at = propertyPath(path, "apiVersion")
  if (given === undefined || given === null || given === "") issues.add(at, "required", "is required")
  else oneOf([apiVersionOf(vendorPrefix)])(given, at, issues)
}
