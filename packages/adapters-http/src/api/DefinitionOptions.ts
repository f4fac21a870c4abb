import { publicAddressesOnly } from "@tocsin/domain/alert-method/AddressPolicy"
import type { DecodeOptions } from "@tocsin/domain/definition/DecodeDefinition"
import { Context } from "effect"

/** What an operator sets of definitions; the defaults hold where nothing is provided. Source: decisions 0113, 0310. */
export class DefinitionOptions extends Context.Reference<DefinitionOptions>()(
  "@tocsin/adapters-http/api/DefinitionOptions",
  {
    defaultValue: (): Pick<DecodeOptions, "vendorPrefix" | "addressPolicy"> => ({
      vendorPrefix: "tocsin",
      addressPolicy: publicAddressesOnly,
    }),
  },
) {}
