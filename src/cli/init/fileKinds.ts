// The kinds of files that `alembic init --schema` knows, apart from their schemas, which bring whole rooms with them.
export const fileKinds = ["config", "contract", "board", "claims", "mission"] as const
export type FileKind = (typeof fileKinds)[number]
