import type { DecodeOptions } from "@tocsin/domain"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import * as Context from "effect/Context"
import { promqlAdvisor } from "../promql/AdvisePromQl.ts"
import { checkPromQl } from "../promql/CheckPromQl.ts"

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
