/** Shortest cool-down of an alert policy and its default, in milliseconds. */
export const coolDownMinMs = 300_000

/** Most conditions of one alert policy, or of each of its groups. */
export const conditionsPerPolicyMax = 10

/** Most groups of conditions of one alert policy. */
export const conditionGroupsMax = 5

/** Most times that one alert is sent again. */
export const renotificationsMax = 100

/** Most escalation steps of one alert policy. */
export const escalationStepsMax = 5
