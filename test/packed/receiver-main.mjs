// For Node.js, Deno and Bun: the first argument is the address of the server with the cases.
import process from "node:process"
import { runSuite } from "./receiver-suite.mjs"

console.log(JSON.stringify(await runSuite(process.argv[2])))
