import type { PromQlParser } from "@tocsin/domain/formats"
import { checkPromQl, parsePromQl } from "./CheckPromQl.ts"

/** Reads the queries of documents of other formats. */
export const promqlParser: PromQlParser = { parse: parsePromQl, check: checkPromQl }
