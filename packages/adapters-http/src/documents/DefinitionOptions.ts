import type { DecodeOptions } from "@tocsin/domain"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import * as Context from "effect/Context"
import { checkPromQl, promqlAdvisor } from "@tocsin/promql"

/** How documents of definitions are read, such as which unsupported ones are stored. */
export const DefinitionOptions = Context.Reference<
  Pick<
    DecodeOptions,
    | "vendorPrefix"
    | "addressPolicy"
    | "checkPromQl"
    | "promqlAdvisor"
    | "allowUnsupportedSources"
    | "allowUnsupported"
  >
>("@tocsin/adapters-http/internal/documents/DefinitionOptions", {
  defaultValue: () => ({
    vendorPrefix: "tocsin",
    addressPolicy: publicAddressesOnly,
    checkPromQl,
    promqlAdvisor,
  }),
})
