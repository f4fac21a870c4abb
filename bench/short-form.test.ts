import { shortFormSuite } from "./short-form-suite.ts"

await shortFormSuite((needs) => needs.length === 0)
