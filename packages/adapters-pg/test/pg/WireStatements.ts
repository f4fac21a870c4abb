/** A statement that was sent to the database, also those that begin and end transactions. */
export interface SentStatement {
  readonly text: string
  /** Whether it changes something, or ends a transaction that has. */
  readonly isDurable: boolean
}

/**
 * Reads the statements of connections from what they send (PostgreSQL, chapter "Message Formats"): simple queries, and
 * each execution of a prepared one.
 */
export const wireStatements = () => {
  let sent: Array<SentStatement> = []

  const watch = () => {
    let pending = Buffer.alloc(0)
    let isStarted = false
    let isInTransaction = false
    let hasChanged = false
    let bound = ""
    const prepared = new Map<string, string>()

    const execute = (text: string): void => {
      const changes = /\b(?:INSERT INTO|DELETE FROM|UPDATE \w+ |FOR (?:KEY )?SHARE|FOR UPDATE)/.test(text)
      if (/^BEGIN\b/i.test(text)) {
        isInTransaction = true
        hasChanged = false
      }
      const isEnd = /^(?:COMMIT|ROLLBACK)\b/i.test(text)
      sent.push({ text, isDurable: isInTransaction ? /^COMMIT/i.test(text) && hasChanged : changes })
      hasChanged ||= changes
      if (isEnd) isInTransaction = false
    }

    const onMessage = (type: string, body: Buffer): void => {
      const [first = "", second = ""] = body.toString("utf8").split("\0", 2)
      if (type === "Q") execute(first)
      else if (type === "P") prepared.set(first, second)
      else if (type === "B") bound = prepared.get(second) ?? ""
      else if (type === "E") execute(bound)
    }

    return (data: Buffer): void => {
      pending = Buffer.concat([pending, data])
      for (;;) {
        // The first message of a connection has no type.
        const start = isStarted ? 1 : 0
        if (pending.length < start + 4) return
        const end = start + pending.readInt32BE(start)
        if (pending.length < end) return
        if (isStarted) onMessage(String.fromCharCode(pending[0] ?? 0), pending.subarray(5, end))
        isStarted = true
        pending = pending.subarray(end)
      }
    }
  }

  return {
    watch,
    /** What was sent since the last call. */
    take: (): ReadonlyArray<SentStatement> => {
      const taken = sent
      sent = []
      return taken
    },
  }
}
