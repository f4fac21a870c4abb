import * as Result from "effect/Result"
import type { AddressPolicy } from "../alert-method/AddressPolicy.ts"
import { type Codec, decode, type Reader } from "../codec/Codec.ts"
import { always, object, optional } from "../codec/Containers.ts"
import { entryPath, type Issue, IssueList, propertyPath } from "../codec/Issue.ts"
import { isGiven, isObject, literals, requiredRule } from "../codec/Leaves.ts"
import { apiVersionOf, besideDefinition, replacedRevision, unread } from "../metadata/Envelope.ts"
import { objectName, ownedProject, projectMetadata } from "../metadata/Metadata.ts"
import { defaultProjectName } from "../slo/Project.ts"
import type { PromQlContext } from "../slo/PromQlCheck.ts"
import type { Parts } from "../work/Parts.ts"
import { definitionKeyText } from "../metadata/ObjectKey.ts"
import { definition } from "./Definition.ts"
import type { ObjectKey } from "./Part.ts"
import { type DefinitionDraft, type DefinitionKey, describesNoProject, kindList, kinds } from "./Kinds.ts"

/** The settings of a server that decide which definitions are valid. */
export interface DecodeOptions extends PromQlContext {
  /** The part of `apiVersion` before `/v1alpha`, such as `tocsin`. */
  readonly vendorPrefix: string
  /** The network addresses that URLs in definitions may contain. */
  readonly addressPolicy: AddressPolicy
  /** Whether definitions of data sources that are not read are stored. */
  readonly allowUnsupportedSources?: boolean
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
  if (isObject(input) && !kindList.some((kind) => kind === input["kind"])) {
    // Checks what all kinds have in common.
    ofUnknownKind.read(input, path, issues, { defaultProject: "none" })
  }
  return definition.read(input, path, issues, options)
}

/** A definition of one kind, which need not be stored, as a part of a request; `codec` is that of the kind. */
export const proposedDefinition = <K extends DefinitionDraft["kind"]>(
  kind: K,
  { write, schema }: Pick<Codec<Extract<DefinitionDraft, { kind: K }>, never>, "write" | "schema">,
): Codec<Extract<DefinitionDraft, { kind: K }>, DecodeOptions> => ({
  read: (input, path, issues, options) => {
    const decoded = decodeDefinition(input, options)
    if (Result.isFailure(decoded)) {
      issues.addAll(path, decoded.failure)
      return undefined
    }
    return isOfKind(decoded.success, kind)
      ? decoded.success
      : issues.add(`${path}.kind`, "not_allowed_value", `must be ${kind}`)
  },
  write,
  schema,
})

const isOfKind = <K extends DefinitionDraft["kind"]>(
  draft: DefinitionDraft,
  kind: K,
): draft is Extract<DefinitionDraft, { kind: K }> => draft.kind === kind

/** Decodes only the key of a definition, which may otherwise be invalid. */
const decodeDefinitionKey = (
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
  const read = keyCodecOf(input).read(input, path, issues, options)
  if (read === undefined) return undefined
  const { name, project = "" }: { readonly name: string; readonly project?: string } = read.metadata
  return { kind: read.kind, project, name }
}

const keyCodecOf = (input: unknown) => {
  if (describesNoProject(input)) return keyOfNoProject
  const kind = isObject(input) ? kindList.find((each) => each === input["kind"]) : undefined
  return (kind && keyCodecs.get(kind)) ?? keyOfUnknown
}

const keyOf = <M extends { readonly name: string; readonly project?: string }, C>(metadata: Codec<M, C>) =>
  object({ kind: literals(kindList), metadata }, { isOpen: true })

const keyOfUnknown = keyOf(object({ name: objectName, project: always(ownedProject) }, { isOpen: true }))

/** Whatever a document says that describes an object of no project, the key has the project `default`. */
const noProject: Codec<string> = { ...objectName, read: () => defaultProjectName }

const keyOfNoProject = keyOf(object({ name: objectName, project: always(noProject) }, { isOpen: true }))

const keyCodecs = new Map(
  Object.values(kinds).map(({ kind, home, name }) => [
    kind,
    home === "organization"
      ? keyOf(object({ name }, { isOpen: true }))
      : keyOf(object({ name, project: always(ownedProject) }, { isOpen: true })),
  ]),
)

const ofUnknownKind = object(
  {
    apiVersion: optional(unread),
    kind: optional(unread),
    metadata: projectMetadata(objectName),
    spec: optional(unread),
  },
  { ignored: besideDefinition },
)

/** Rejects a document of another API version. */
export const checkVersion = (input: unknown, path: string, issues: IssueList, vendorPrefix: string): void => {
  if (!isObject(input)) return
  const given = Object.hasOwn(input, "apiVersion") ? input["apiVersion"] : undefined
  const at = propertyPath(path, "apiVersion")
  const version = apiVersionOf(vendorPrefix)
  if (!isGiven(given)) issues.add(at, "required", requiredRule([version]))
  else if (given !== version)
    issues.add(at, "not_allowed_value", `must be ${version}${conversionHint(given)}`)
}

const conversionHint = (apiVersion: unknown): string =>
  typeof apiVersion === "string" && /^(?:openslo|sloth\.slok\.dev|pyrra\.dev)\//.test(apiVersion)
    ? "; `tocsin convert` converts documents of OpenSLO, Sloth and Pyrra"
    : ""

/** Most definitions in one request. */
export const definitionsMax = 1_000

/** A valid definition of a request. */
export interface DecodedDefinition {
  /** Its place in the request. */
  readonly index: number
  readonly path: string
  readonly input: unknown
  readonly draft: DefinitionDraft
  /** The revision that it must replace; absent: any. */
  readonly revision: string | undefined
}

export interface DecodedDefinitions {
  /** The valid ones, with their index, the path prefix of their issues, and what they were decoded from. */
  readonly drafts: ReadonlyArray<DecodedDefinition>
  /** Every object that the list names, valid or not. */
  readonly keys: ReadonlySet<string>
  readonly issues: IssueList
}

/**
 * Decodes a list of definitions, one in each part; if there are several, paths begin with the index, as `[2]`. Entries that others
 * take are passed over.
 *
 * Rejects duplicate objects, an empty list, and more than `definitionsMax` entries.
 */
export function* decodeDefinitions(
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions,
  isTaken: (input: unknown) => boolean = () => false,
): Parts<DecodedDefinitions> {
  const issues = new IssueList()
  const drafts: Array<DecodedDefinition> = []
  const keys = new Set<string>()
  for (const { index, path, input } of withPaths(inputs, issues)) {
    if (isTaken(input)) continue
    yield
    const named = decodeDefinitionKey(input, options)
    if (Result.isSuccess(named)) takeKey(named.success, path, keys, issues)
    // Nothing will be written, and further issues would be discarded.
    if (issues.isFull) continue
    const decoded = decodeDefinition(input, options)
    if (Result.isSuccess(decoded)) {
      drafts.push({ index, path, input, draft: decoded.success, revision: replacedRevision(input) })
    } else issues.addAll(path, decoded.failure)
  }
  return { drafts, keys, issues }
}

/** The documents of a request that others take. If there are several documents, paths begin with the index, as `[2]`. */
export const takenDocuments = (
  inputs: ReadonlyArray<unknown>,
  takes: (input: unknown) => boolean,
): ReadonlyArray<Pick<DecodedDefinition, "index" | "path" | "input">> =>
  withPaths(inputs, new IssueList()).filter(({ input }) => takes(input))

/** An object of any kind that is to be deleted. */
export interface RemovedObject extends Omit<NamedDefinition, "key"> {
  /** The key of the object; its kind may be none of `kinds`. */
  readonly key: ObjectKey
}

/** A definition that is to be deleted. */
export interface NamedDefinition {
  /** The path of its issues. */
  readonly path: string
  /** The kind, project and name of the object. */
  readonly key: DefinitionKey
  /** Whether the object must belong to no project; absent: to any or none. */
  readonly ofNoProject?: true
}

/** Decodes only the keys, in order; passes over entries that others take. */
export const decodeDefinitionKeys = (
  inputs: ReadonlyArray<unknown>,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject">,
  isTaken: (input: unknown) => boolean = () => false,
): {
  readonly keys: ReadonlyArray<NamedDefinition>
  readonly issues: IssueList
} => {
  const issues = new IssueList()
  const keys: Array<NamedDefinition> = []
  const taken = new Set<string>()
  for (const { path, input } of withPaths(inputs, issues)) {
    if (isTaken(input)) continue
    const named = decodeDefinitionKey(input, options)
    if (Result.isFailure(named)) issues.addAll(path, named.failure)
    else if (takeKey(named.success, path, taken, issues)) {
      keys.push({ path, key: named.success, ...(describesNoProject(input) && { ofNoProject: true }) })
    }
  }
  return { keys, issues }
}

const withPaths = (
  inputs: ReadonlyArray<unknown>,
  issues: IssueList,
): ReadonlyArray<{ readonly index: number; readonly path: string; readonly input: unknown }> => {
  if (inputs.length === 0) issues.add("", "too_few", "must have at least one definition")
  if (inputs.length > definitionsMax) {
    issues.add("", "too_many", `must have at most ${definitionsMax} definitions in one request`)
    return []
  }
  return inputs.map((input, index) => ({
    index,
    path: inputs.length > 1 ? entryPath("", index) : "",
    input,
  }))
}

const takeKey = (key: DefinitionKey, path: string, keys: Set<string>, issues: IssueList): boolean => {
  const text = definitionKeyText(key)
  if (keys.has(text)) {
    const message = `is duplicated: an earlier definition of this request describes the same ${key.kind}; remove one of them`
    issues.addAll(path, [{ path: "metadata.name", code: "duplicate", message }])
    return false
  }
  keys.add(text)
  return true
}
