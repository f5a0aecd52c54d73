CREATE TABLE `imported_comments` (
	`site_id` text DEFAULT 'embedded' NOT NULL,
	`entry_id` text NOT NULL,
	`comments` text NOT NULL,
	PRIMARY KEY(`site_id`, `entry_id`)
);
