/** What a check of `tocsin doctor` found. `skipped`: it needs something that another check found missing. */
export interface CheckResult {
  readonly check: string
  readonly status: "ok" | "warning" | "failed" | "skipped"
  /** What was found and, unless it is fine, what to do. Never contains a secret. */
  readonly message: string
}

type Result = (check: string, message: string) => CheckResult

export const ok: Result = (check, message) => ({ check, status: "ok", message })
export const warning: Result = (check, message) => ({ check, status: "warning", message })
export const failed: Result = (check, message) => ({ check, status: "failed", message })
export const skipped: Result = (check, message) => ({ check, status: "skipped", message })
