CREATE TABLE `picture_variants` (
	`version` text NOT NULL,
	`name` text NOT NULL,
	`data` blob NOT NULL,
	`size` integer NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`version`, `name`)
);
--> statement-breakpoint
CREATE INDEX `picture_variants_used` ON `picture_variants` (`used_at`,`size`);--> statement-breakpoint
CREATE TABLE `submission_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`keep_days` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` text PRIMARY KEY NOT NULL,
	`entry_id` text NOT NULL,
	`section_id` text NOT NULL,
	`page_title` text NOT NULL,
	`form_title` text NOT NULL,
	`answers` text NOT NULL,
	`words` text NOT NULL,
	`is_read` integer DEFAULT false NOT NULL,
	`mail` text NOT NULL,
	`mail_error` text,
	`mail_tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `submissions_created` ON `submissions` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_form` ON `submissions` (`section_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `submissions_unread` ON `submissions` (`created_at`) WHERE not is_read;--> statement-breakpoint
CREATE INDEX `submissions_waiting` ON `submissions` (`created_at`) WHERE mail = 'waiting';