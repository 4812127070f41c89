// Keeps the last part of each disk free: files end there, so that the database beside them goes on and can make room again.
import { readRoomOnDisk } from "@croft/git";
import { AssetError } from "./asset-error.ts";

/** Asked for at a time, as a file grows: a small one needs little, a large one asks seldom. */
const PIECE_BYTES = { min: 64 * 1024, max: 4 * 1024 * 1024 } as const;

/** The room of one file while it is written. */
export interface GrowingRoom {
  /** Before so many bytes of it are written. */
  growTo(bytes: number): Promise<void>;
  end(): void;
}

/** One for all writers of a process: what is promised and not yet written counts as used. */
export class DiskReserve {
  readonly #reserveBytes: number | undefined;
  #promisedBytes = 0;

  /** Without bytes it is a part of each disk. */
  constructor(reserveBytes: number | undefined) {
    this.#reserveBytes = reserveBytes;
  }

  roomIn(directory: string): GrowingRoom {
    let grantedBytes = 0;
    let giveBack = () => {};
    return {
      growTo: async (bytes) => {
        if (bytes <= grantedBytes) return;
        giveBack(); // written meanwhile
        const pieceBytes = Math.min(Math.max(bytes, PIECE_BYTES.min), PIECE_BYTES.max);
        const moreBytes = Math.max(pieceBytes, bytes - grantedBytes);
        giveBack = await this.#take(directory, moreBytes);
        grantedBytes += moreBytes;
      },
      end: () => giveBack(),
    };
  }

  /** For what is written at once, or by somebody else. */
  async require(directory: string, bytes: number): Promise<void> {
    (await this.#take(directory, bytes))();
  }

  /** Whether nothing more is taken on the disk of this directory. */
  async isTouchedIn(directory: string): Promise<boolean> {
    const { bytes, files = 1 } = await readRoomOnDisk(directory, this.#reserveBytes);
    return bytes < PIECE_BYTES.min || files <= 0;
  }

  async #take(directory: string, bytes: number): Promise<() => void> {
    this.#promisedBytes += bytes;
    let isTaken = true;
    const giveBack = () => {
      if (isTaken) this.#promisedBytes -= bytes;
      isTaken = false;
    };
    try {
      const room = await readRoomOnDisk(directory, this.#reserveBytes);
      const { files = 1 } = room;
      if (room.bytes >= this.#promisedBytes && files > 0) return giveBack;
      const what = files > 0 ? `${room.reserveBytes} bytes` : "some files";
      const message = `the disk is full but for ${what} that are kept free (disk.reserveBytes): remove something (its room is free within a minute or two), or use a larger disk`;
      throw new AssetError("disk-full", message);
    } catch (error) {
      giveBack();
      throw error;
    }
  }
}
