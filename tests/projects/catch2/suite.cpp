/* Names that discovery must quote, and tests of each outcome. */
#ifdef CATCH2_VERSION_3
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

TEST_CASE("passes")
{
	REQUIRE(1 + 1 == 2);
}

TEST_CASE("fails", "[tag]")
{
	REQUIRE(1 + 1 == 3);
}

TEST_CASE("name with blanks, commas and \"quotes\"")
{
	SECTION("one")
	{
		REQUIRE(true);
	}
}

TEST_CASE("$dollar #hash (paren) @at@")
{
	REQUIRE(true);
}

TEST_CASE("hidden", "[.]")
{
	REQUIRE(true);
}
