import { shortFormSuite } from "../../bench/short-form-suite.ts"

await shortFormSuite((needs) => needs.length > 0)
