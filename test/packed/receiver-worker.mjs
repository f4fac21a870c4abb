// For workerd.
import { runSuite } from "./receiver-suite.mjs"

export default {
  fetch: async (request, { CASES_URL }) => {
    try {
      return Response.json(await runSuite(CASES_URL))
    } catch (error) {
      return Response.json({ count: 0, differences: [String(error)] })
    }
  },
}
