import { shortFormSuite } from "./short-form-suite.ts"

shortFormSuite((needs) => needs.length === 0)
