import type { DecodeOptions } from "@tocsin/domain"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import type { PromQlParser } from "@tocsin/formats"
import * as Context from "effect/Context"

/** How documents of definitions are read, such as which unsupported ones are stored. */
export interface DefinitionOptions extends Pick<
  DecodeOptions,
  | "vendorPrefix"
  | "addressPolicy"
  | "checkPromQl"
  | "promqlAdvisor"
  | "allowUnsupportedSources"
  | "allowUnsupported"
> {
  /** Parses the queries of other formats, as that of `@tocsin/promql` does; absent: documents are not converted. */
  readonly promqlParser?: PromQlParser
}

/** How documents of definitions are read. By default, queries are not checked, as the parser of PromQL is another package. */
export const DefinitionOptions = Context.Reference<DefinitionOptions>(
  "@tocsin/adapters-http/internal/documents/DefinitionOptions",
  { defaultValue: () => ({ vendorPrefix: "tocsin", addressPolicy: publicAddressesOnly }) },
)
