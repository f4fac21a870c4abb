import type { DecodeOptions, TimedDefinition } from "@tocsin/domain"
import type { Definition } from "@tocsin/domain/adapter"
import type { Issue } from "@tocsin/domain/codec"
import type { Kind, OrganizationId } from "@tocsin/domain/kernel"
import type { DefinitionHistory, StoreIsUnavailable } from "@tocsin/domain/ports"
import type * as Effect from "effect/Effect"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import type { PromQlParser } from "@tocsin/formats"
import * as Context from "effect/Context"
import type * as Result from "effect/Result"

/** Names of filters of alerts that some clients know beside those of the API. */
interface AlertFilterNames {
  /** The names. */
  readonly names: ReadonlyArray<string>
  /** The alert policies and statuses that such filters of a query select; fails with an issue. */
  readonly read: (
    query: URLSearchParams,
  ) => Result.Result<
    { readonly alertPolicies: ReadonlyArray<string>; readonly statuses: ReadonlyArray<string> },
    Issue
  >
}

/** How some clients read and write definitions, which they know in a form of their own. */
interface DocumentForm {
  /** A document as it is decoded. */
  readonly read: (document: unknown) => unknown
  /** A document with what its form lacks of the stored definition; `undefined` if it lacks nothing. */
  readonly whole: (document: unknown, stored: Definition) => unknown
  /** The documents of definitions of one kind. */
  readonly write: (
    organization: OrganizationId,
    items: ReadonlyArray<TimedDefinition>,
    vendorPrefix: string,
  ) => Effect.Effect<ReadonlyArray<object>, StoreIsUnavailable, DefinitionHistory>
  /** The issues of a dry run as a client shows them, which its `User-Agent` tells. */
  readonly dryRunIssues: (issues: ReadonlyArray<Issue>, userAgent: string | undefined) => ReadonlyArray<Issue>
  /** The kinds of which the form has definitions of no project only. */
  readonly kindsOfNoProject: ReadonlySet<Kind>
  /** Names of filters of alerts, which all clients may use. */
  readonly alertFilters: AlertFilterNames
}

/** How documents of definitions are read, such as which unsupported ones are stored. */
export interface DefinitionOptions extends Pick<
  DecodeOptions,
  "vendorPrefix" | "addressPolicy" | "checkPromQl" | "promqlAdvisor" | "allowUnsupportedSources"
> {
  /** Parses the queries of other formats, as that of `@tocsin/promql` does; absent: documents are not converted. */
  readonly promqlParser?: PromQlParser
  /** How some clients read and write definitions, as `clientForm` of `@tocsin/adapters-clients`; absent: like all others. */
  readonly clientForm?: DocumentForm
}

/** How documents of definitions are read. By default, queries are not checked, as the parser of PromQL is another package. */
export const DefinitionOptions = Context.Reference<DefinitionOptions>(
  "@tocsin/adapters-http/internal/documents/DefinitionOptions",
  { defaultValue: () => ({ vendorPrefix: "tocsin", addressPolicy: publicAddressesOnly }) },
)
