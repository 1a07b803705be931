// The rooms a run has behind its verbs.
import type { Rooms } from "../Room.ts"
import { councilRoom } from "./councilRoom.ts"

export const engineRooms: Rooms = { council: councilRoom }
