DO $$ BEGIN
	-- Where it is there, somebody with more rights has made it.
	IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'planlock') THEN
		CREATE SCHEMA planlock;
	END IF;
END $$;

CREATE TABLE planlock.version (version integer NOT NULL);

-- A content lies in parts, of which all but the last have a mebibyte.
CREATE TABLE planlock.contents (
	digest bytea   NOT NULL, -- SHA-256
	part   integer NOT NULL, -- from 0
	data   bytea   NOT NULL,
	put    timestamptz NOT NULL DEFAULT clock_timestamp(), -- of part 0: when the content was put or found last
	PRIMARY KEY (digest, part)
);

CREATE TABLE planlock.logs (
	id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	workspace text COLLATE "C" NOT NULL,
	name      text COLLATE "C" NOT NULL, -- the id of the run, or that with .after
	state     text   NOT NULL DEFAULT '', -- what was noted of the run last
	epoch     bigint NOT NULL DEFAULT 1,  -- how often it was opened for writing
	size      bigint NOT NULL DEFAULT 0,  -- how many records it has
	holder    text   NOT NULL,            -- who opened it last, for people
	UNIQUE (workspace, name)
);

CREATE TABLE planlock.batches (
	log      bigint  NOT NULL REFERENCES planlock.logs ON DELETE CASCADE,
	position bigint  NOT NULL, -- how many records the log had before
	epoch    bigint  NOT NULL, -- of the writer
	key      bytea   NOT NULL, -- SHA-256 of the records, each behind its length in 8 bytes
	bytes    bigint  NOT NULL, -- of the records
	records  bytea[] NOT NULL,
	PRIMARY KEY (log, position)
);

CREATE TABLE planlock.claims (
	workspace text COLLATE "C" NOT NULL,
	lock      text COLLATE "C" NOT NULL,
	run       text COLLATE "C" NOT NULL, -- that the lock serves
	PRIMARY KEY (workspace, lock)
);

CREATE TABLE planlock.papers (
	workspace text COLLATE "C" NOT NULL,
	name      text COLLATE "C" NOT NULL,
	text      bytea       NOT NULL,
	put       timestamptz NOT NULL,
	PRIMARY KEY (workspace, name)
);

INSERT INTO planlock.version VALUES (2);
