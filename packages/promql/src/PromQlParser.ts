import { checkPromQl, parsePromQl } from "./CheckPromQl.ts"

/** Parses queries, and checks them. */
export const promqlParser = { parse: parsePromQl, check: checkPromQl }
