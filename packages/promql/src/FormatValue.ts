/** A value as Prometheus writes it in JSON: in full between 1e-6 and 1e21, with an exponent of at least two digits beyond. */
export const formatValue = (value: number): string => {
  if (Number.isNaN(value)) return "NaN"
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf"
  if (Object.is(value, -0)) return "-0"
  return String(value).replace(/e([+-])(\d)$/, "e$10$2")
}

/** An instant in Unix milliseconds as JSON in seconds, with all three decimals if there are any. */
export const formatTime = (ms: number): string => {
  const whole = Math.round(ms)
  const seconds = Math.floor(Math.abs(whole) / 1_000)
  const rest = Math.abs(whole) % 1_000
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`
  return `${whole < 0 ? "-" : ""}${seconds}${fraction}`
}
