import { shortFormSuite } from "../../bench/short-form-suite.ts"

shortFormSuite((needs) => needs.length > 0)
