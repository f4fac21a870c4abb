import { distribute } from "@tocsin/adapters-pg/internal/Distribution"
import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { decodeDatabaseUrl } from "../config/ServerConfig.ts"
import { databaseCannotBeUsed } from "../server/Server.ts"
import { connectionOfUrl } from "../store/DatabaseUrl.ts"
import { CommandFailed, type CommandContext } from "./CommandContext.ts"

export const databaseCommand = (context: CommandContext): Command =>
  new Command("database")
    .summary("prepare the database")
    .description("Prepare the database at DATABASE_URL. Connects to it directly.")
    .addCommand(
      new Command("distribute")
        .summary("distribute the tables over a Citus cluster")
        .description(
          "Distribute the tables of the database, empty or not, over the worker nodes of a Citus cluster, by organization. " +
            "DATABASE_URL must be that of the coordinator. Stop all servers before. After an interruption, run it again.",
        )
        .action(() => context.run(distributeDatabase(context))),
    )

const distributeDatabase = ({ environment }: CommandContext) =>
  Effect.gen(function* () {
    const connection = yield* connectionOfUrl(yield* Effect.fromResult(decodeDatabaseUrl(environment)))
    const tables = yield* distribute(connection).pipe(
      Effect.mapError((error) =>
        error._tag === "DatabaseIsNoCoordinator"
          ? new CommandFailed({ message: `cannot distribute the tables: ${error.message}` })
          : databaseCannotBeUsed(error),
      ),
    )
    yield* Console.log(
      tables.length === 0
        ? "All tables are already distributed."
        : `Distributed ${tables.length} tables: ${tables.join(", ")}.`,
    )
  })
