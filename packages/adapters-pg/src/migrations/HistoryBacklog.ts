/** Only indicators with older minutes that are not read yet are counted, which usually are few. */
export const historyBacklog: ReadonlyArray<string> = [
  `CREATE INDEX indicator_polls_history ON indicator_polls (organization) WHERE read_to = 0 OR recent IS NOT NULL`,
]
