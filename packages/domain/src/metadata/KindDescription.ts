import type * as Result from "effect/Result"
import type { Codec } from "../codec/Codec.ts"
import type { Issue } from "../codec/Issue.ts"
import type { Labels } from "./Metadata.ts"
import type { ProjectKey } from "./ObjectKey.ts"

/** A reference of a definition to another object. */
interface KindReference<R extends string = string> {
  readonly kind: R
  readonly name: string
  /** Default: the project of the definition. */
  readonly project?: string
  /** The path of the reference in the definition. */
  readonly path: string
}

/** Gives a key of an SLO its new project if that SLO moves. */
export type FollowMove = <K extends ProjectKey>(key: K) => K

/**
 * All that the service knows of a kind of definitions. `Draft` is a definition as it is submitted, `D` is one with hidden values
 * resolved, and `R` has the kinds that it refers to. The list of all descriptions is `kinds`.
 */
export interface KindDescription<
  Draft extends { readonly kind: string },
  D extends Draft = Draft,
  R extends string = never,
> {
  readonly kind: Draft["kind"]
  readonly shortName: string
  /** With an article, such as "an alert silence". */
  readonly words: string
  /** Whether objects belong to a project, or to the organization itself. */
  readonly home: "project" | "organization"
  /** Which objects of a kind of projects belong to no project: those of documents that cannot name one. They are in the list of every project. */
  readonly ofNoProject?: {
    readonly describedBy: (document: unknown) => boolean
    readonly is: (draft: Draft) => boolean
  }
  readonly codec: Codec<Draft, never>
  /** The rule of names, of which a codec reads no more than it must to find the object. */
  readonly name: Codec<string>
  /** What it refers to beside its project, in the order of issues. */
  readonly references?: (draft: Draft) => ReadonlyArray<KindReference<R>>
  /** The labels by which it selects SLOs of its project. */
  readonly selects?: (draft: Draft) => Labels | undefined
  /** Takes what no draft has from the stored definition, such as hidden values. Required where `D` is more than `Draft`. */
  readonly resolve?: (draft: Draft, stored: D | undefined) => Result.Result<D, ReadonlyArray<Issue>>
  /** A definition that refers to SLOs that move to another project: how it follows them, or why they cannot move. */
  readonly whenMoved?: { readonly follow: (value: D, to: FollowMove) => D } | { readonly prevents: string }
}
