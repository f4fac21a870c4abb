import * as Schema from "effect/Schema"
import { type Codec, once } from "../codec/Codec.ts"
import { ignoredProperty, object, optional } from "../codec/Containers.ts"
import { propertyPath } from "../codec/Issue.ts"
import { isGiven, isObject, literals } from "../codec/Leaves.ts"
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
export const readOnlyProperties = ["organization", "manifestSrc", "status"] as const

/** A definition as documents write it. Of what clients send back, nothing is read. */
export interface EnvelopeJson<K extends string, M> extends Readonly<
  Partial<Record<(typeof readOnlyProperties)[number], unknown>>
> {
  /** `tocsin/v1alpha` or with another prefix. */
  readonly apiVersion: string
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
    { ignored: readOnlyProperties },
  )
  return {
    read: (input, path, issues, context) => {
      const read = envelope.read(input, path, issues, context)
      if (!isObject(input)) return undefined
      const at = propertyPath(path, "spec")
      const given = Object.hasOwn(input, "spec") ? input["spec"] : undefined
      const isAbsent = !isGiven(given)
      if (isAbsent && isSpecOptional !== true) return issues.add(at, "required", "is required")
      const owner: ProjectKey = { name: read?.metadata.name ?? "", project: read?.metadata.project ?? "none" }
      // The context has what `spec` needs but its owner, which is known only now.
      const specContext = { ...context, owner } as CS
      const readSpec = spec.read(isAbsent ? {} : given, at, issues, specContext)
      return read && readSpec && { kind, metadata: read.metadata, spec: readSpec }
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
        organization: ignoredProperty,
        manifestSrc: ignoredProperty,
        status: ignoredProperty,
      }).annotate({ identifier }),
    ),
  }
}
