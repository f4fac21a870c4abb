import * as Schema from "effect/Schema"
import { type Codec, described, once } from "../codec/Codec.ts"
import { ignoredProperty, object, optional } from "../codec/Containers.ts"
import { propertyPath } from "../codec/Issue.ts"
import { isGiven, isObject, literals, string } from "../codec/Leaves.ts"
import type { OwnerContext } from "./Metadata.ts"
import type { ProjectKey } from "./ObjectKey.ts"

/** The `apiVersion` of every definition: `tocsin/v1alpha` with the default vendor prefix. */
export const apiVersionOf = (vendorPrefix: string): string => `${vendorPrefix}/v1alpha`

export const unread: Codec<unknown> = {
  read: (value) => value,
  write: (value) => value,
  schema: once(() => Schema.Unknown),
}

/** Clients send these back as they received them. */
const readOnlyProperties = ["organization", "manifestSrc", "status"] as const

/** What a document can have beside its definition: nothing of it is stored. */
export const besideDefinition = [...readOnlyProperties, "revision"] as const

/** The revision of a definition that is not stored. */
export const unstoredRevision = "0"

/** The revision of a stored definition that a document replaces. */
const revisionText = described(
  string({ max: 16, format: { pattern: /^\d{1,16}$/, message: "must be a revision: 1 to 16 digits" } }),
  "In a response, the stored revision. In a request, the revision that must be stored, or 0 if the definition must not exist; otherwise, nothing is applied (412). Default: any",
)

/** The revision that a document must replace; `undefined` if it replaces any. Of a document that was decoded. */
export const replacedRevision = (document: unknown): string | undefined => {
  const revision =
    isObject(document) && Object.hasOwn(document, "revision") ? document["revision"] : undefined
  return typeof revision === "string" && isGiven(revision) ? revision : undefined
}

/** A document that replaces any revision. */
export const withoutRevision = (document: unknown): unknown =>
  isObject(document) ? { ...document, revision: undefined } : document

/** A definition as documents write it. Of what clients send back, nothing is read. */
export interface EnvelopeJson<K extends string, M> extends Readonly<
  Partial<Record<(typeof readOnlyProperties)[number], unknown>>
> {
  /** `tocsin/v1alpha` or with another prefix. */
  readonly apiVersion: string
  /** In a response, the stored revision. In a request, the revision that must be stored; `0`: it must not exist. Default: any. */
  readonly revision?: string | undefined
  /** Its kind, such as `SLO`. */
  readonly kind: K
  /** Names the object. */
  readonly metadata: M
}

/**
 * The definition of a kind. The owner of `spec` is the object that `metadata` names; an omitted optional
 * `spec` is empty. The API reads and writes `apiVersion`; here it is only described.
 */
export const definitionOf = <
  const K extends string,
  M extends { readonly name: string; readonly project?: string },
  CM,
  JM,
  S,
  CS,
  JS,
  const O extends boolean = false,
>(
  kind: K,
  options: {
    readonly identifier: string
    readonly metadata: Codec<M, CM, JM>
    readonly spec: Codec<S, CS, JS>
    readonly isSpecOptional?: O
  },
): Codec<
  { readonly kind: K; readonly metadata: M; readonly spec: S },
  CM & Omit<CS, keyof OwnerContext>,
  EnvelopeJson<K, JM> & (O extends true ? { readonly spec?: JS | undefined } : { readonly spec: JS })
> => {
  const { identifier, metadata, spec, isSpecOptional } = options
  const envelope = object(
    { apiVersion: optional(unread), kind: literals([kind]), metadata, spec: optional(unread) },
    { ignored: besideDefinition },
  )
  return {
    read: (input, path, issues, context) => {
      const read = envelope.read(input, path, issues, context)
      if (!isObject(input)) return undefined
      const revision = Object.hasOwn(input, "revision") ? input["revision"] : undefined
      const isRevision =
        !isGiven(revision) ||
        revisionText.read(revision, propertyPath(path, "revision"), issues, context) !== undefined
      const at = propertyPath(path, "spec")
      const given = Object.hasOwn(input, "spec") ? input["spec"] : undefined
      const isAbsent = !isGiven(given)
      if (isAbsent && isSpecOptional !== true) return issues.add(at, "required", "is required")
      const owner: ProjectKey = { name: read?.metadata.name ?? "", project: read?.metadata.project ?? "none" }
      // The context has what `spec` needs but its owner, which is known only now.
      const specContext = { ...context, owner } as CS
      const readSpec = spec.read(isAbsent ? {} : given, at, issues, specContext)
      return isRevision ? read && readSpec && { kind, metadata: read.metadata, spec: readSpec } : undefined
    },
    write: (value, writing) => ({
      kind,
      metadata: metadata.write(value.metadata, writing),
      spec: spec.write(value.spec, writing),
    }),
    schema: once(() =>
      Schema.Struct({
        apiVersion: Schema.String.annotate({
          description: "tocsin/v1alpha, unless the server has a different TOCSIN_VENDOR_PREFIX",
        }).check(Schema.isPattern(/^.+\/v1alpha$/u)),
        kind: Schema.Literal(kind),
        metadata: metadata.schema(),
        spec: isSpecOptional === true ? Schema.optionalKey(spec.schema()) : spec.schema(),
        revision: Schema.optionalKey(revisionText.schema()),
        organization: ignoredProperty,
        manifestSrc: ignoredProperty,
        status: ignoredProperty,
      }).annotate({ identifier }),
    ),
  }
}
