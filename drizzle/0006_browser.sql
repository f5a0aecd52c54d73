CREATE TABLE `blobs` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`hash` text NOT NULL,
	`media_type` text NOT NULL,
	`filename` text NOT NULL,
	`size` integer NOT NULL,
	`width` integer,
	`height` integer,
	`data` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blobs_session_hash` ON `blobs` (`session_id`,`hash`);--> statement-breakpoint
CREATE TABLE `context_samples` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`turn_id` text,
	`model_id` text NOT NULL,
	`context_window` integer NOT NULL,
	`usable_tokens` integer NOT NULL,
	`current_tokens` integer NOT NULL,
	`source` text NOT NULL,
	`breakdown` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `context_samples_session` ON `context_samples` (`session_id`,`id`);--> statement-breakpoint
ALTER TABLE `messages` ADD `superseded_by` text;--> statement-breakpoint
CREATE INDEX `messages_superseded` ON `messages` (`superseded_by`) WHERE superseded_by is not null;--> statement-breakpoint
CREATE INDEX `turns_session` ON `turns` (`session_id`,`id`);